// The images that tests of the stack in Docker use: those that variables name, else the official ones or stand-ins that
// are on this machine. A stand-in is Debian's package of the same program; what one lacks is put on top of it here.
import { execFileSync, spawnSync } from 'node:child_process'

export const docker = (...args: string[]) => spawnSync('docker', args, { encoding: 'utf8' })
/** The lines that `docker` says. Throws where it fails. */
export const words = (...args: string[]): string[] =>
  execFileSync('docker', args, { encoding: 'utf8' }).split('\n').filter(Boolean)

const isThere = (image: string): boolean => docker('image', 'inspect', image).status === 0

interface Known {
  official: string
  standIn: string
  /** What makes an image of Debian's package, from that of `standIn`, that takes what compose.yml gives it. */
  onTop?: string
}

const install = (program: string): string =>
  `RUN apt-get update && apt-get install -y --no-install-recommends ${program} && rm -rf /var/lib/apt/lists/*`

const IMAGES: Record<string, Known> = {
  NODE_IMAGE: { official: 'node:24-slim', standIn: 'stand-in/node' },
  REDIS_IMAGE: { official: 'redis:8.2', standIn: 'stand-in/redis' },
  // The official ones take their password from a file as well.
  POSTGRES_IMAGE: {
    official: 'postgres:18.1',
    standIn: 'stand-in/postgres',
    onTop: `ENTRYPOINT ["sh", "-c", "export POSTGRES_PASSWORD=$(cat $POSTGRES_PASSWORD_FILE); exec /entrypoint.sh"]`,
  },
  CLICKHOUSE_IMAGE: {
    official: 'clickhouse/clickhouse-server:26.7',
    standIn: 'stand-in/clickhouse',
    onTop: `CMD ["sh", "-c", "exec node server.mjs --host 0.0.0.0 --port 8123 --path /var/lib/clickhouse \
--user $CLICKHOUSE_USER --password $(cat $CLICKHOUSE_PASSWORD_FILE)"]`,
  },
  FRONT_IMAGE: { official: 'haproxy:3.2', standIn: 'stand-in/base', onTop: `${install('haproxy')}\nUSER haproxy` },
  PROMETHEUS_IMAGE: {
    official: 'prom/prometheus:v3.5.0',
    standIn: 'stand-in/base',
    onTop: `${install('prometheus')}
RUN mkdir /prometheus && chown nobody /prometheus
USER nobody
ENTRYPOINT ["prometheus"]`,
  },
}

/** By their variables, built where needed; else why there is nothing to test with. */
export function imagesHere(): Record<string, string> | string {
  if (process.env.TEST_STORES === 'embedded') return 'TEST_STORES=embedded'
  if (docker('version', '--format', '{{.Server.Version}}').status !== 0) return 'no Docker engine answers'
  if (docker('compose', 'version').status !== 0) return 'no Docker Compose'
  const chosen: Record<string, string> = {}
  for (const [variable, known] of Object.entries(IMAGES)) {
    const image = process.env[variable] ?? [known.official, known.standIn].find(isThere)
    if (image === undefined) return `no image ${known.official}; ${variable} names another`
    chosen[variable] = image
  }
  return chosen
}

/** The variables for `make up`: images, and no more open files than this engine may give. */
export function ofTheEngine(chosen: Record<string, string>): Record<string, string> {
  const most = docker('run', '--rm', '--entrypoint', 'sh', chosen.NODE_IMAGE!, '-c', 'ulimit -Hn').stdout.trim()
  return { ...completeImages(chosen), CLICKHOUSE_NOFILE: /^\d+$/.test(most) ? most : '262144' }
}

/** The same with what stand-ins lack; built once and kept, in a minute at most. */
function completeImages(chosen: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(chosen).map(([variable, image]) => {
      const { standIn, onTop } = IMAGES[variable]!
      return [variable, image === standIn && onTop ? onTopOf(image, variable, onTop) : image]
    }),
  )
}

function onTopOf(image: string, variable: string, lines: string): string {
  const built = `insider-test/${variable.toLowerCase().replace('_image', '')}`
  execFileSync('docker', ['build', '-q', '--force-rm', '-t', built, '-'], {
    input: `FROM ${image}\n${lines}\n`,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  return built
}
