// The test runner: `run.ts` runs all tests, `run.ts unit integration e2e` some of the groups, `run.ts long` the files
// whose volume TEST_LONG=1 raises. Four mocha processes go side by side, since most time passes in waiting; files are
// dealt out longest first, by the seconds in seconds.json, which TEST_RECORD=1 rewrites. Ends with the failures of all
// of them once more and `N passed, N failed, N skipped`, under JSON=1 as one JSON object with all else on stderr.
import { spawn, type ChildProcess } from 'node:child_process'
import { globSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Folders of test/ by group. */
const GROUPS: Record<string, string[]> = { unit: ['unit'], integration: ['contract', 'integration'], e2e: ['e2e'] }
const LONG = 'long'
const LANES = 4

interface Counts {
  passed: number
  failed: number
  skipped: number
}

// Saves each of the many short commands of Node a fifth of its time.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/node')

const isJson = /^(1|true|yes|on)$/i.test(process.env.JSON ?? '')
const print = (text: string) => (isJson ? process.stderr : process.stdout).write(text)
const children = new Set<ChildProcess>()
/** What each process said of its failures. */
const failures: string[] = []

async function run(names: string[]): Promise<number> {
  const groups = [...Object.keys(GROUPS), LONG]
  const unknown = names.find((name) => !groups.includes(name))
  if (unknown !== undefined) throw new Error(`no group of tests "${unknown}": there are ${groups.join(', ')}`)
  const files = names.length > 0 ? names.flatMap(filesOf) : Object.keys(GROUPS).flatMap(filesOf)
  // On a server that a variable names all tests use the same databases of Redis.
  const lanes = dealOut([...new Set(files)], process.env.TEST_REDIS_URL ? 1 : LANES)
  const folder = process.env.TMPDIR || names.includes(LONG) ? null : folderInMemory()
  if (folder !== null) print(`temporary files: in memory, under ${folder} (TMPDIR names another folder)\n`)
  const variables = folder === null ? {} : { TMPDIR: folder }
  const counts = await Promise.all(
    lanes.map((lane, index) => runLane(lane, { TEST_LANE: String(index), ...variables })),
  )
  if (process.env.TEST_RECORD) record()
  const sum = (of: keyof Counts) => counts.reduce((total, each) => total + each[of], 0)
  const total = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
  const ok = total.failed === 0 && total.passed > 0
  // Once more at the end, since those of one process stand before the lines of others, and a log may be cut short.
  for (const each of failures) print(`${each}\n`)
  if (isJson) process.stdout.write(`${JSON.stringify({ ok, ...total })}\n`)
  else process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`)
  return ok ? 0 : 1
}

const SHARED_MEMORY = '/dev/shm'
/** Twice what a run has there at most. */
const MIN_BYTES = 6e9

/**
 * Returns the folder of Linux that lies in memory, where there is room and programs may be run: creating and deleting
 * the files of some hundred databases on a disk takes a twentieth of the run's processor time. Null otherwise.
 */
function folderInMemory(): string | null {
  if (process.platform !== 'linux') return null
  const mount = readFileSync('/proc/self/mounts', 'utf8').match(new RegExp(`^\\S+ ${SHARED_MEMORY} tmpfs (\\S+)`, 'm'))
  if (!mount || mount[1]!.split(',').some((option) => option === 'ro' || option === 'noexec')) return null
  const { bavail, bsize } = statfsSync(SHARED_MEMORY)
  return Math.min(bavail * bsize, freemem() - MIN_BYTES / 2) < MIN_BYTES ? null : SHARED_MEMORY
}

function filesOf(group: string): string[] {
  if (group === LONG) {
    const all = Object.keys(GROUPS).flatMap(filesOf)
    return all.filter((file) => readFileSync(join(root, file), 'utf8').includes('support/volume.ts'))
  }
  return GROUPS[group]!.flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`, { cwd: root }).sort())
}

const SECONDS_FILE = join(root, 'test/support/seconds.json')
/** Of a file that is not in seconds.json, where those under three seconds are left out. */
const SECONDS_OF_OTHERS = 1
const measured = new Map<string, number>()

/** Gives each file, longest first, to the lane with the least to do. Tests of Docker share one: they use one image. */
function dealOut(files: string[], count: number): string[][] {
  const known = JSON.parse(readFileSync(SECONDS_FILE, 'utf8')) as Record<string, number>
  const secondsOf = (part: string[]) => part.reduce((sum, file) => sum + (known[file] ?? SECONDS_OF_OTHERS), 0)
  const parts = [...Map.groupBy(files, (file) => (/\/docker[^/]*$/.test(file) ? 'docker' : file)).values()]
  const lanes = Array.from({ length: count }, (): string[] => [])
  for (const part of parts.toSorted((one, other) => secondsOf(other) - secondsOf(one))) {
    lanes.toSorted((one, other) => secondsOf(one) - secondsOf(other))[0]!.push(...part)
  }
  return lanes.filter((lane) => lane.length > 0)
}

function record(): void {
  const sorted = [...measured].toSorted(([, one], [, other]) => other - one)
  writeFileSync(SECONDS_FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
}

const MAX_SECONDS_TO_END = 60

/** Returns what .mocharc.json says, but for the files and what Node itself loads. */
function settings(): string[] {
  const {
    spec: _spec,
    import: _import,
    ...rest
  } = JSON.parse(readFileSync(join(root, '.mocharc.json'), 'utf8')) as Record<string, unknown>
  return Object.entries(rest).flatMap(([name, value]) =>
    typeof value === 'boolean'
      ? [`--${value ? '' : 'no-'}${name}`]
      : [value].flat().map((each) => `--${name}=${String(each)}`),
  )
}

/**
 * Prints as it goes, or all at the end, so that the lines of lanes don't mix. A lane that breaks off counts as one
 * failure.
 */
async function runLane(files: string[], variables: Record<string, string>): Promise<Counts> {
  // Without mocha's own launcher, so that a signal reaches the process that runs the tests.
  const mocha = join(root, 'node_modules/mocha/lib/cli/cli.js')
  const isLive = variables.TEST_LANE === '0'
  const child = spawn(process.execPath, ['--import=tsx', mocha, '--no-config', ...settings(), ...files], {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  let said = ''
  const take = (chunk: Buffer) => {
    if (isLive) print(withoutTotals(chunk.toString()))
    said += chunk
    if (TOTALS.test(said)) overdue ??= setTimeout(end, MAX_SECONDS_TO_END * 1000)
  }
  let overdue: NodeJS.Timeout | undefined
  const end = () => {
    print(`a test left something open: its process did not end within ${MAX_SECONDS_TO_END} s of its last test\n`)
    child.kill('SIGKILL')
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  children.delete(child)
  clearTimeout(overdue)
  const [failed] = FAILURES.exec(said) ?? []
  if (failed !== undefined) failures.push(failed)
  if (!isLive) print(withoutTotals(said))
  for (const [, seconds, file] of said.matchAll(/^ *([\d.]+) s {2}(test\/\S+)$/gm)) measured.set(file!, Number(seconds))
  const [, passed, failing, skipped] = TOTALS.exec(said) ?? []
  const counts = { passed: Number(passed ?? 0), failed: Number(failing ?? 0), skipped: Number(skipped ?? 0) }
  if (status === 0 && passed !== undefined) return counts
  const ended = `a test process ended with status ${status}`
  print(`${ended}\n`)
  if (failed === undefined) failures.push(`${ended}, having said:\n${said.slice(-MAX_LAST_WORDS)}`)
  return { ...counts, failed: Math.max(counts.failed, 1) }
}

/** Mocha's own section of failures, up to the reporter's durations or totals. */
const FAILURES = /^ +\d+ failing$[^]*?(?=^ *[\d.]+ s {2}test\/|^\d+ passed, |(?![^]))/m
const MAX_LAST_WORDS = 2_000
const TOTALS = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m
const withoutTotals = (text: string) => text.replace(/^\d+ passed, \d+ failed, \d+ skipped\n/m, '')

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of children) child.kill(signal)
    setTimeout(() => process.exit(1), 5_000)
  })
}
process.exitCode = await run(process.argv.slice(2))
