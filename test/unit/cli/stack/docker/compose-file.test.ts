// docker/compose.yml: that it conforms to the published schema of Compose 2, what it passes to containers and what it
// publishes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { assert } from 'chai'
import { parse } from 'yaml'
import { configVariables } from '../../../../support/config-variables.ts'

const root = join(import.meta.dirname, '../../../../..')
const text = readFileSync(join(root, 'docker/compose.yml'), 'utf8')
const { services, secrets } = parse(text, { merge: true })
const STORES = ['clickhouse', 'postgres', 'redis']
const ROLES = ['migrate', 'api', 'ingest', 'deliver']

/** The schema of compose-spec.io, as a package carries it. */
function validator() {
  const schema = JSON.parse(readFileSync(join(root, 'node_modules/dclint/schemas/compose.schema.json'), 'utf8'))
  // Its address of draft 7 is not the one that ajv knows.
  delete schema.$schema
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats.default(ajv)
  return { schema, validate: ajv.compile(schema) }
}

const VARIABLE = /\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g

/** As Compose does before it looks at the schema, with no variable set. */
function interpolated(file: string): any {
  return parse(
    file.replace(VARIABLE, (_, name, kind, otherwise) => (kind === '-' ? otherwise : `a-${name}`)),
    { merge: true },
  )
}

describe('docker/compose.yml', () => {
  it('conforms to the schema of Compose 2', () => {
    const { validate } = validator()
    assert.strictEqual(validate(interpolated(text)), true, JSON.stringify(validate.errors))
    for (const wrong of [
      text.replaceAll('pids_limit:', 'pid_limit:'),
      `${text}\nnetwork: {}\n`,
      text.replace('restart: unless-stopped', 'restart: [always]'),
    ]) {
      assert.strictEqual(validate(interpolated(wrong)), false)
    }
  })

  it('causes no warnings of Compose 2', () => {
    const { schema } = validator()
    const deprecated = ({ properties }: any) =>
      Object.entries<any>(properties)
        .filter(([, each]) => each.deprecated)
        .map(([name]) => name)
    assert.include(deprecated(schema), 'version')
    assert.notIncludeMembers(Object.keys(parse(text)), deprecated(schema))
    for (const [name, service] of Object.entries<any>(services)) {
      assert.deepEqual(
        Object.keys(service).filter((key) => deprecated(schema.definitions.service).includes(key)),
        [],
        name,
      )
    }
    // A variable that is not set and has no default is reported at each call.
    assert.deepEqual(
      [...text.matchAll(VARIABLE)].filter(([, , kind]) => kind === undefined).map(([variable]) => variable),
      [],
    )
  })

  it('passes every setting of the service to its containers', () => {
    // What is the same in every container, or is for make.
    const own = [
      'PORT',
      'HOST',
      'DATA_DIR',
      'JSON',
      'STACK',
      'API',
      'INGEST',
      'DELIVER',
      'SERVICE_IMAGE',
      'NPM_REGISTRY',
      'CLICKHOUSE_CLUSTER',
      'PROMETHEUS_PORT',
      'DEFAULTS',
      'REDIS_INSTALL',
    ]
    for (const service of ROLES) {
      const { environment } = services[service]
      const missing = configVariables().filter(
        (name) => !own.includes(name) && !(name in environment) && !(`${name}_FILE` in environment),
      )
      assert.deepEqual(missing, [], service)
    }
  })

  it('has passwords and keys in files only', () => {
    assert.deepEqual(Object.keys(secrets), [
      'authorities',
      'clickhouse_password',
      'postgres_password',
      'redis_password',
      'secrets_key',
    ])
    for (const [name, service] of Object.entries<any>(services)) {
      const given = Object.entries<string>(service.environment ?? {})
      for (const [variable, value] of given) {
        const isSecret = /(PASSWORD|KEY)(_FILE)?$/.test(variable) || /\/\/[^@/]*:[^@/]+@/.test(value)
        if (isSecret) assert.match(value, /^\/run\/secrets\/[a-z_]+$/, `${name} ${variable}`)
        if (isSecret) assert.include(service.secrets, value.slice('/run/secrets/'.length), name)
      }
    }
  })

  it('publishes only the front, and Prometheus on request, on the loopback address by default', () => {
    const published = Object.entries<any>(services)
      .filter(([, service]) => service.ports)
      .map(([name, { ports }]) => [name, ports])
    assert.deepEqual(published, [
      ['front', ['${HOST:-127.0.0.1}:${PORT:-8080}:8080']],
      ['prometheus', ['${HOST:-127.0.0.1}:${PROMETHEUS_PORT:-9090}:9090']],
    ])
    assert.deepEqual(
      Object.keys(services).filter((name) => services[name].profiles),
      ['prometheus'],
    )
  })

  it('limits processes, memory and privileges of every container', () => {
    for (const [name, service] of Object.entries<any>(services)) {
      assert.isAtLeast(service.pids_limit, 1, name)
      assert.isAtMost(service.pids_limit, 20_000, name)
      assert.typeOf(service.mem_limit, 'string', name)
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
      assert.deepEqual(service.cap_drop, ['ALL'], name)
      // Stores begin as root and continue as users of their own.
      assert.deepEqual(
        service.cap_add ?? [],
        STORES.includes(name) ? ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'] : [],
        name,
      )
      if (!STORES.includes(name)) assert.strictEqual(service.read_only, true, name)
    }
  })
})
