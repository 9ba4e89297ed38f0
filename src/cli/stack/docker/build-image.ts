// Builds the image of the service from the checkout, with the proxy, certificates and registry that Node and npm use on
// the host.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import { environmentWith, proxyVariables, type DockerSettings } from '../../../config.ts'
import { dataPaths } from '../../../infrastructure/embedded/data-dir.ts'
import { lastLine, run } from './engine.ts'
import type { Output } from '../../output.ts'

// The same paths as in .dockerignore.
const CONTEXT = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'src',
  'openapi',
  join('docker', 'Dockerfile'),
  join('docker', 'certificates'),
]
// Enough lines for an error of npm or the compiler.
const SHOWN_LINES = 20

export interface Build {
  /** Folder of the checkout. */
  root: string
  image: string
  dataDir: string
  settings: Pick<DockerSettings, 'npmRegistry'>
}

/** Builds the image. On failure shows the log's last lines and throws with the path of the log. */
export async function buildImage({ root, image, dataDir, settings }: Build, out: Output): Promise<void> {
  const paths = dataPaths(dataDir)
  const context = mkdtempSync(join(paths.run, 'build-context-'))
  try {
    const npm = await npmSettings(root)
    writeContext(root, context, trustedCertificates(npm))
    // Without values, the variables are taken from the environment.
    const args = ['NODE_IMAGE', 'NPM_REGISTRY', ...proxyVariables()].flatMap((name) => ['--build-arg', name])
    const registry = settings.npmRegistry ?? npm.registry
    const command = [
      'docker',
      'build',
      '--force-rm',
      '-f',
      join(context, 'docker', 'Dockerfile'),
      '-t',
      image,
      ...args,
      context,
    ]
    const { status, stdout, stderr } = await run(
      command,
      environmentWith(registry === null ? {} : { NPM_REGISTRY: registry }),
    )
    if (status === 0) return
    const log = join(paths.logs, 'docker-build.log')
    writeFileSync(log, stdout + stderr, { mode: 0o600 })
    for (const line of (stdout + stderr).trimEnd().split('\n').slice(-SHOWN_LINES)) out.note(line)
    throw new Error(`the image of the service could not be built: ${lastLine(stderr)}; the log is ${log}`)
  } finally {
    rmSync(context, { recursive: true, force: true })
  }
}

interface NpmSettings {
  /** PEM of the certificate authorities that npm is configured with. */
  certificates: string[]
  /** Null if it can't be read, or has a password, which would stay in a layer of the image. */
  registry: string | null
}

/**
 * Returns the settings of `npm config` on the host; none if npm is not installed.
 * @public for tests, which call it in a process with another environment
 */
export async function npmSettings(root: string): Promise<NpmSettings> {
  const { status, stdout } = await run(['npm', 'config', 'list', '--json', '--prefix', root])
  if (status !== 0) return { certificates: [], registry: null }
  const { ca, cafile, registry } = JSON.parse(stdout) as {
    ca?: string | string[] | null
    cafile?: string | null
    registry?: string
  }
  const file = cafile && existsSync(cafile) ? readFileSync(cafile, 'utf8') : null
  const url = URL.parse(registry ?? '')
  const isPlain = url !== null && url.username === '' && url.password === ''
  return { certificates: [ca ?? [], file ?? []].flat(), registry: isPlain ? url.href : null }
}

/**
 * Returns, as PEM, the certificate authorities that Node and npm on the host trust beyond those bundled with Node.
 * @public for tests, as above
 */
export function trustedCertificates(npm: Pick<NpmSettings, 'certificates'>): string {
  const bundled = new Set(getCACertificates('bundled'))
  const own = getCACertificates('default').filter((certificate) => !bundled.has(certificate))
  const all =
    [...own, ...npm.certificates].join('\n').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return [...new Set(all)].map((certificate) => `${certificate}\n`).join('')
}

function writeContext(root: string, context: string, certificates: string): void {
  for (const name of CONTEXT) cpSync(join(root, name), join(context, name), { recursive: true })
  writeFileSync(join(context, 'docker', 'certificates', 'this-machine.crt'), certificates)
}
