// docker/compose.yml by itself: what Compose 2 takes by its published schema, what it hands to containers and what it publishes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { expect } from 'chai'
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
  it('is what the schema of Compose 2 takes', () => {
    const { validate } = validator()
    expect(validate(interpolated(text)), JSON.stringify(validate.errors)).to.equal(true)
    for (const wrong of [
      text.replaceAll('pids_limit:', 'pid_limit:'),
      `${text}\nnetwork: {}\n`,
      text.replace('restart: unless-stopped', 'restart: [always]'),
    ]) {
      expect(validate(interpolated(wrong))).to.equal(false)
    }
  })

  it('has nothing that Compose 2 warns of', () => {
    const { schema } = validator()
    const deprecated = ({ properties }: any) =>
      Object.entries<any>(properties)
        .filter(([, each]) => each.deprecated)
        .map(([name]) => name)
    expect(deprecated(schema)).to.include('version')
    expect(Object.keys(parse(text))).not.to.include.members(deprecated(schema))
    for (const [name, service] of Object.entries<any>(services)) {
      expect(
        Object.keys(service).filter((key) => deprecated(schema.definitions.service).includes(key)),
        name,
      ).to.deep.equal([])
    }
    // A variable that is not set and has no default is told of at each call.
    expect(
      [...text.matchAll(VARIABLE)].filter(([, , kind]) => kind === undefined).map(([variable]) => variable),
    ).to.deep.equal([])
  })

  it('hands every setting of the service to its containers', () => {
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
      expect(missing, service).to.deep.equal([])
    }
  })

  it('has passwords and keys in files alone', () => {
    expect(Object.keys(secrets)).to.deep.equal([
      'clickhouse_password',
      'postgres_password',
      'redis_password',
      'secrets_key',
    ])
    for (const [name, service] of Object.entries<any>(services)) {
      const given = Object.entries<string>(service.environment ?? {})
      for (const [variable, value] of given) {
        const isSecret = /(PASSWORD|KEY)(_FILE)?$/.test(variable) || /\/\/[^@/]*:[^@/]+@/.test(value)
        if (isSecret) expect(value, `${name} ${variable}`).to.match(/^\/run\/secrets\/[a-z_]+$/)
        if (isSecret) expect(service.secrets, name).to.include(value.slice('/run/secrets/'.length))
      }
    }
  })

  it('publishes the front alone, and Prometheus where it is asked for, on the loopback address unless told otherwise', () => {
    const published = Object.entries<any>(services)
      .filter(([, service]) => service.ports)
      .map(([name, { ports }]) => [name, ports])
    expect(published).to.deep.equal([
      ['front', ['${HOST:-127.0.0.1}:${PORT:-8080}:8080']],
      ['prometheus', ['${HOST:-127.0.0.1}:${PROMETHEUS_PORT:-9090}:9090']],
    ])
    expect(Object.keys(services).filter((name) => services[name].profiles)).to.deep.equal(['prometheus'])
  })

  it('limits every container: its processes, its memory, what it may become and do', () => {
    for (const [name, service] of Object.entries<any>(services)) {
      expect(service.pids_limit, name).to.be.within(1, 20_000)
      expect(service.mem_limit, name).to.be.a('string')
      expect(service.security_opt, name).to.deep.equal(['no-new-privileges:true'])
      expect(service.cap_drop, name).to.deep.equal(['ALL'])
      // Stores begin as root and go on as users of their own.
      expect(service.cap_add ?? [], name).to.deep.equal(
        STORES.includes(name) ? ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'] : [],
      )
      if (!STORES.includes(name)) expect(service.read_only, name).to.equal(true)
    }
  })
})
