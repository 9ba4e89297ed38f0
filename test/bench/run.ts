// Runs the benches one after the other, passes on the line that each prints, and ends with the table of goals. BENCH
// names some of them; QUICK=1 runs those with goals on small volumes. Stores that several benches read are made once.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { goalTable } from './table.ts'
import type { Lines } from './goals.ts'

type Variables = Record<string, string>

interface Bench {
  /** Below that of this file. */
  folder: string
  name: string
  /** How many of the shared stores it reads. */
  stores?: 1 | 2
  /** Volumes of a quick run; none where the bench has no part in it. */
  quick?: Variables
  /** Only by name: it takes longest. */
  isSeparate?: true
}

const BENCHES: Bench[] = [
  { folder: 'reads', name: 'cold', stores: 2, quick: { ROUNDS: '20', SECONDS: '2', ONE_BY_ONE: '30' } },
  { folder: 'reads', name: 'filters', stores: 1, quick: { ROUNDS: '20', SECONDS: '2' } },
  { folder: 'reads', name: 'aggregates', quick: { QUARTERS: '8', ROWS: '1500', LIVE: '100', ROUNDS: '20' } },
  { folder: 'reads', name: 'as-of', stores: 1, quick: { ROUNDS: '20' } },
  { folder: 'http', name: 'answers', stores: 1, quick: { SECONDS: '0.3', ROUNDS: '3' } },
  { folder: 'http', name: 'validated', quick: { SECONDS: '0.3', ROUNDS: '2' } },
  { folder: 'service', name: 'resident' },
  { folder: 'service', name: 'start', stores: 1, quick: { ROUNDS: '1' } },
  { folder: 'mixed', name: 'mixed', stores: 1, quick: { SECONDS: '2', ROUNDS: '1' } },
  { folder: 'reads', name: 'search', quick: { COMPANIES: '500', OWNERS: '5000', ASKED: '100' } },
  { folder: 'ingestion', name: 'ingest', quick: { FILINGS: '200', ONE_BY_ONE: '100' } },
  {
    folder: 'reads',
    name: 'changes',
    quick: { STREAMS: '200', ROUNDS: '60', COMMITS: '50', FILINGS: '120', SECONDS: '1' },
  },
  {
    folder: 'exports',
    name: 'exports',
    quick: { ROWS: '50000', MONTHS: '4', SECONDS: '0.5', ROUNDS: '2' },
  },
  { folder: 'ingestion', name: 'reader' },
  { folder: 'ingestion', name: 'hostile-documents' },
  { folder: 'http', name: 'requests' },
  { folder: 'service', name: 'memory' },
  { folder: 'ingestion', name: 'follow' },
  { folder: 'ingestion', name: 'backfill' },
  { folder: 'ingestion', name: 'signals' },
  { folder: 'webhooks', name: 'webhook-send' },
  { folder: 'webhooks', name: 'deliver' },
  { folder: 'webhooks', name: 'endless-answers' },
  { folder: 'reads', name: 'growth', isSeparate: true },
]
/** One store, at the real density of filings. */
const QUICK_STORE = { QUARTERS: '1', ROWS: '5000', PER_DAY: '700', LIVE: '100', ISSUERS: '300' }

const isQuick = process.env.QUICK === '1'
const asked = process.env.BENCH?.split(/[\s,]+/).filter(Boolean)
const chosen = BENCHES.filter(({ name, quick, isSeparate }) =>
  asked ? asked.includes(name) : isQuick ? quick !== undefined : !isSeparate,
)
const unknown = asked?.find((name) => !BENCHES.some((bench) => bench.name === name))
if (unknown !== undefined || chosen.length === 0) {
  process.stderr.write(`no bench "${unknown ?? ''}": there are ${BENCHES.map(({ name }) => name).join(', ')}\n`)
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'bench-stores-'))
const lines: Lines = {}
let hasFailed = false
try {
  for (const bench of chosen) {
    const begun = performance.now()
    const line = await printed(bench)
    process.stderr.write(`bench ${bench.name}: ${Math.round((performance.now() - begun) / 1_000)} s\n`)
    if (line === null) hasFailed = true
    else lines[bench.name] = line
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (Object.keys(lines).length > 0) process.stdout.write(`\n${goalTable(lines)}\n`)
if (isQuick)
  process.stdout.write(
    '\nSmall volumes: figures near their limit, every p99, and ten times the density need the full run.\n',
  )
process.exit(hasFailed ? 1 : 0)

/** Runs one bench and returns the line it prints; null where it failed. */
async function printed({ folder: group, name, stores, quick = {} }: Bench): Promise<object | null> {
  // Stores of the caller's own are left as they are.
  const shared = process.env.STORE ?? ['real', 'dense'].map((each) => join(folder, each)).join(',')
  const places: Variables = stores === undefined ? {} : { STORE: shared.split(',').slice(0, stores).join(',') }
  const variables = { ...(isQuick && { ...QUICK_STORE, ...quick }), ...places }
  const script = fileURLToPath(new URL(`./${group}/${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    env: { ...variables, ...process.env, ...places },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    process.stdout.write(chunk)
  })
  const status = await new Promise<number | null>((resolve) => {
    child.once('close', resolve)
  })
  const last = output.trimEnd().split('\n').at(-1) ?? ''
  if (status === 0 && last.startsWith('{')) return JSON.parse(last) as object
  process.stderr.write(`bench ${name} ended with ${status}\n`)
  return null
}
