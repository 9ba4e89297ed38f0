// Runs the benches one after the other, passes on the line that each prints, and ends with the table of goals. BENCH
// names some of them; QUICK=1 runs all on small volumes. Stores that several benches read are made once.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Lines } from './goals.ts'
import { goalTable } from './table.ts'

/** In this order: those that file into the store come after those that only read it. */
const BENCHES = [
  'cold',
  'answers',
  'growth',
  'resident',
  'mixed',
  'ingest',
  'rules',
  'backfill',
  'growth-of-history',
  'start',
]
const SMALL = {
  ...{ QUARTERS: '1', ROWS: '5000', LIVE: '100', ISSUERS: '300', HISTORY: '20000' },
  ...{ HISTORIES: '1,2', BARE: '2' },
  ...{ ROUNDS: '20', SECONDS: '1', FILINGS: '50', REQUESTS: '20000', STARTS: '1' },
}

const isQuick = process.env.QUICK === '1'
const wanted = process.env.BENCH?.split(/[\s,]+/).filter(Boolean) ?? BENCHES
const unknown = wanted.filter((name) => !BENCHES.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`no bench ${JSON.stringify(unknown.join(' '))}: there are ${BENCHES.join(', ')}\n`)
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'bench-stores-'))
// Stores of the caller's own are left as they are.
const variables = { ...(isQuick && SMALL), STORES: folder, ...process.env }
const lines: Lines = {}
let hasFailed = false
try {
  for (const name of BENCHES.filter((each) => wanted.includes(each))) {
    const line = await run(name)
    if (line === null) hasFailed = true
    else lines[name] = line
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.stdout.write(`\n${goalTable(lines)}\n`)
if (isQuick) process.stdout.write('\nSmall volumes: these values only show that the benches run.\n')
process.exit(hasFailed ? 1 : 0)

/** Runs one bench and returns the line it prints; null where it failed. */
async function run(name: string): Promise<object | null> {
  const begun = performance.now()
  const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    env: variables,
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
  process.stderr.write(`bench ${name}: ${Math.round((performance.now() - begun) / 1_000)} s\n`)
  const last = output.trimEnd().split('\n').at(-1) ?? ''
  if (status === 0 && last.startsWith('{')) return JSON.parse(last) as object
  process.stderr.write(`bench ${name} ended with ${status}\n`)
  return null
}
