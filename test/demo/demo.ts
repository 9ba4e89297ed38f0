// make demo: a stack that follows a simulated EDGAR where invented companies' insiders file every second, to watch the
// feed move without the internet. It has a DATA_DIR and port of its own, and refuses one that holds anything else:
// nothing invented meets real data. Ctrl-C ends all of it, also while it starts.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lineOf } from '../../src/infrastructure/printable.ts'
import { make } from '../support/make.ts'
import { inventedListings } from '../support/edgar/invented/world.ts'
import { publishInvented } from '../support/edgar/invented/publishing.ts'
import { startSimulatedEdgar } from '../support/edgar/simulator/simulated-edgar.ts'

interface Row {
  id: string
  ticker: string
  companyName: string
  insiderName: string
  transactionType: string
  shares: number
  totalValue: number
}

const dataDir = resolve(process.env.DATA_DIR || '.data-demo')
const port = Number(process.env.PORT || 8090)
const perMinute = Number(process.env.PER_MINUTE || 60)
const seconds = Number(process.env.SECONDS || Number.POSITIVE_INFINITY)

const marker = join(dataDir, 'demo')
if (existsSync(dataDir) && readdirSync(dataDir).length > 0 && !existsSync(marker)) {
  process.stderr.write(`error: ${dataDir} holds other data; a demonstration needs a DATA_DIR of its own\n`)
  process.exit(1)
}
mkdirSync(dataDir, { recursive: true })
writeFileSync(marker, 'invented filings only\n')

const isJson = !['', '0'].includes(process.env.JSON ?? '')
const variables = { DATA_DIR: dataDir, PORT: port }

// A terminal sends its signal to every process of the group, which make hands on as well: it may come several times,
// and at any time. The first ends the demonstration, in order; make up and make down have groups of their own.
const SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
const stop = new AbortController()
for (const signal of SIGNALS) process.on(signal, () => stop.abort())
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => stop.abort())

const edgar = await startSimulatedEdgar({ companies: inventedListings(), rate: { most: null } })
const publishing = publishInvented(edgar, { perMinute, seed: Date.now() % 2 ** 31 })
const seen = new Set<string>()
process.stderr.write('starting a simulated EDGAR and a stack that follows it\n')
try {
  const up = await make(
    'up',
    {
      ...variables,
      JSON: 1,
      EDGAR_BASE_URL: edgar.url,
      EDGAR_USER_AGENT: 'Example Demonstration demo@example.com',
      EDGAR_POLL_SECONDS: 1,
    },
    undefined,
    stop.signal,
  )
  if (up.status === 0) await show(up.json!.address as string)
  else if (!stop.signal.aborted) process.stderr.write(up.stderr)
  if (up.status !== 0 && !stop.signal.aborted) process.exitCode = 1
} finally {
  publishing.stop()
  await down()
  await edgar.close()
}
const result = {
  ok: process.exitCode === undefined,
  published: publishing.count(),
  transactions: seen.size,
  mostRequestsInAnySecond: edgar.mostInAnySecond(),
}
process.stdout.write(
  isJson
    ? `${JSON.stringify(result)}\n`
    : `${publishing.count()} filings published, ${seen.size} transactions seen; all of it has ended\n`,
)

/**
 * Ends the stack, at the second attempt if need be. Throws where it does not end. One that a signal to our group ended
 * does not count: a process is in it for a moment before it has a group of its own.
 */
async function down(): Promise<void> {
  for (let isFirst = true; ;) {
    const made = await make('down', { ...variables, JSON: 1 }, undefined, new AbortController().signal)
    if (made.status === 0) return
    if (made.signal !== null && SIGNALS.includes(made.signal)) continue
    const fault = `make down DATA_DIR=${dataDir} failed (${made.signal ?? made.status}): ${made.stderr.trim()}`
    if (!isFirst) throw new Error(fault)
    process.stderr.write(`${fault}\n`)
    isFirst = false
  }
}

/** Shows what comes into the feed until it is time to stop. */
async function show(address: string): Promise<void> {
  process.stderr.write(`rows of invented filings move at ${address} (open it in a browser); Ctrl-C ends it\n`)
  for (const end = Date.now() + seconds * 1000; !stop.signal.aborted && Date.now() < end;) {
    // Aborted between its head and its end, too.
    const answer = (await fetch(`${address}/v1/feed?limit=50`, { signal: stop.signal })
      .then((response) => response.json())
      .catch(() => null)) as { data?: { transactions: Row[] } } | null
    for (const row of (answer?.data?.transactions ?? []).toReversed()) {
      if (seen.has(row.id)) continue
      seen.add(row.id)
      if (!isJson) process.stdout.write(line(row))
    }
    await sleep(500, undefined, { signal: stop.signal }).catch(() => {})
  }
}

function line({ ticker, companyName, insiderName, transactionType, shares, totalValue }: Row): string {
  const value = totalValue.toLocaleString('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 })
  const columns = [
    ticker.padEnd(6),
    transactionType.padEnd(16),
    shares.toLocaleString('en-US').padStart(11),
    value.padStart(14),
  ]
  return lineOf(`${columns.join(' ')}  ${insiderName} at ${companyName}`)
}
