// Two sides of a comparison as processes of their own: the same load on each in turns, requests per second and
// processor time per request. In all of them Node strips the types, so that what runs is as in a build: tsx gives each
// function its name whenever it is made, and keeps V8 from optimizing constructors.
import { execFile, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './measure.ts'

export const CONNECTIONS = 16
// Of Linux on every machine that Node runs on.
const TICKS_PER_SECOND = 100
/** Until V8 has optimized what a request goes through. */
const WARM_SECONDS = 4

export interface Side {
  url: string
  pid: number
  headers: string[]
}
export interface Cost {
  perSecond: number
  cpuMicros: number
}
interface Raw {
  bytes: Buffer
  headers: Record<string, string>
}

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Returns the answer as it goes over the wire; fetch would unpack it. */
export async function askRaw(url: string, headers: Record<string, string> = {}): Promise<Raw> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers }, resolve).on('error', reject)
  })
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`)
  const bytes = Buffer.concat(await response.toArray())
  return { bytes, headers: response.headers as Record<string, string> }
}

/** Starts a bare server, by default on node:http, that sends this head and these bytes. */
export async function bareServer({ bytes, headers }: Raw, on: 'bare-http' | 'bare-express' = 'bare-http') {
  const { date: _date, connection: _connection, 'keep-alive': _keep, ...head } = headers
  const child = spawn(process.execPath, [fileOf(`./${on}.ts`)], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify({ headers: head, body: bytes.toString('base64') }))
  const port = await new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
  })
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid!, stop: () => void child.kill() }
}

/** Starts the HTTP layer alone, see http-service.ts. Its log goes nowhere. */
export async function startHttpService(variables: Record<string, string>) {
  const child = fork(fileOf('./http-service.ts'), {
    execArgv: ['--expose-gc'],
    env: { ...process.env, NODE_ENV: 'production', ...variables },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [{ port, operations }] = (await once(child, 'message')) as [{ port: number; operations: number }]
  const rssMiB = async () => {
    child.send('rss')
    const [answer] = (await once(child, 'message')) as [{ rssMiB: number }]
    return answer.rssMiB
  }
  return { child, pid: child.pid!, port, operations, rssMiB, stop: () => child.disconnect() }
}

export interface Compared<Name extends string> {
  /** The median of each side. */
  costs: Record<Name, Cost>
  /** The median of the ratios of each round, in which the sides stood side by side. */
  ratio(one: Name, other: Name, figure?: keyof Cost): number
}

/** Measures the sides in turn, round by round. */
export async function compared<Name extends string>(
  sides: Record<Name, Side>,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Compared<Name>> {
  const each = Object.entries<Side>(sides) as [Name, Side][]
  const found = new Map<Name, Cost[]>(each.map(([name]) => [name, []]))
  for (const [, side] of each) await costOf(side, WARM_SECONDS)
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, side] of each) found.get(name)!.push(await costOf(side, seconds))
  }
  const middle = (name: Name, figure: keyof Cost) => median(found.get(name)!.map((cost) => cost[figure]))
  const costOfSide = (name: Name) => ({ perSecond: middle(name, 'perSecond'), cpuMicros: middle(name, 'cpuMicros') })
  return {
    costs: Object.fromEntries(each.map(([name]) => [name, costOfSide(name)])) as Record<Name, Cost>,
    ratio: (one, other, figure = 'perSecond') =>
      median(found.get(one)!.map((cost, round) => cost[figure] / found.get(other)![round]![figure])),
  }
}

async function costOf({ url, pid, headers }: Side, seconds: number): Promise<Cost> {
  const cpu = cpuOf(pid)
  const words = [fileOf('./load.ts'), url, String(CONNECTIONS), String(seconds), ...headers]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  const { answers, perSecond } = JSON.parse(stdout) as { answers: number; perSecond: number }
  return { perSecond, cpuMicros: ((cpuOf(pid) - cpu) * 1e6) / answers }
}

/** Returns user and system time of all threads of the process, in seconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
