// Files for bulk users: a month file over HTTP beside bare node:http with the same file, a range of 64 KiB beside a
// feed page from memory, the feed as JSON lines beside the engine's own JSONEachRow of the same rows, making all month
// files beside the bare statements, and memory while a slow reader takes an export. ROWS=200000 MONTHS=12 SECONDS=2
// ROUNDS=3. One JSON line.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeExportMaker } from '../../../src/application/exports/make-exports.ts'
import { DATASETS } from '../../../src/application/ports/exports.ts'
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { migrateClickHouse } from '../../../src/infrastructure/clickhouse/connection/migrate.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { ClickHouseExportSource } from '../../../src/infrastructure/clickhouse/exports/export-source.ts'
import { ExportFiles } from '../../../src/infrastructure/exports/folder.ts'
import { EXAMPLE_KEY } from '../../support/http/example-service.ts'
import { median, printBench } from '../support/measure.ts'
import { compared, startHttpService } from '../support/sides.ts'

const ROWS = Number(process.env.ROWS ?? 200_000)
const MONTHS = Number(process.env.MONTHS ?? 12)
const SECONDS = Number(process.env.SECONDS ?? 2)
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const FILE_BYTES = 3_000_000
const FIRST = Date.UTC(2024, 0) / 1000

const folder = mkdtempSync(join(tmpdir(), 'bench-exports-'))
const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
try {
  const files = await filesOverHttp()
  const path = join(folder, 'clickhouse')
  const store = await ClickHouse.open({ path, database: 'bench' })
  await migrateClickHouse(store)
  await fill(store)
  const making = await made(store)
  const engine = await engineSeconds(store)
  await store.close()
  const { lines, memory } = await exported(path)
  printBench('exports', {
    rows: ROWS,
    months: MONTHS,
    ...files,
    making,
    lines: { ...lines, engineRowsPerSecond: ROWS / engine, toEngine: lines.rowsPerSecond / (ROWS / engine) },
    memory,
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function filesOverHttp() {
  const path = join(folder, 'file.parquet')
  writeFileSync(path, randomBytes(FILE_BYTES))
  const bare = spawn(process.execPath, [fileOf('./bare-file.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = (await once(bare.stdout, 'data')) as [Buffer]
  const service = await startHttpService({ CACHE_MEMORY: String(64 * 1024 ** 2), UNLIMITED: '1', EXPORT_FILE: path })
  const url = `http://127.0.0.1:${service.port}`
  const file = { url: `${url}/v1/exports/transactions/2030-01.parquet`, pid: service.pid }
  const { costs, ratio } = await compared(
    {
      bare: { url: `http://127.0.0.1:${port.toString().trim()}/`, pid: bare.pid!, headers: [] },
      whole: { ...file, headers: [] },
      range: { ...file, headers: ['Range: bytes=1000000-1065535'] },
      page: { url: `${url}/v1/feed`, pid: service.pid, headers: [] },
    },
    { rounds: ROUNDS, seconds: SECONDS },
  )
  bare.kill()
  service.stop()
  return { files: costs, ratios: { fileToBare: ratio('whole', 'bare'), rangeToPage: ratio('range', 'page') } }
}

/** Fills the tables with invented trades of different filings, spread over the months. */
async function fill(store: ClickHouse): Promise<void> {
  const step = Math.floor((MONTHS * 30 * 86_400) / ROWS)
  const filed = sql`toDateTime(${FIRST} + number * ${step}, 'UTC')`
  const digits = sql`leftPad(toString(number % 1000000), 6, '0')`
  const accession = sql`concat('0009', ${digits}, '-24-', ${digits})`
  const issuer = sql`1000000 + cityHash64(number) % 5000`
  await store.forBulk.command(sql`
    INSERT INTO incoming_trades (
      path, subject, issuer_cik, listed, filed_at, accession, n, id, ticker, company_name, insider_cik, insider_name,
      insider_title, type, code, shares, price, total_value, significance, price_status, trade_date, trade_day,
      security_title, owner_ciks, owner_names, owner_titles, owner_roles, version)
    SELECT
      'issuer', ${issuer}, ${issuer}, true, ${filed}, ${accession}, 1, concat(${accession}, '-nd-1'),
      concat('T', toString(${issuer})), concat('Company ', toString(${issuer}), ' Inc'), 2000000 + number % 40000,
      concat('SURNAME', toString(number % 40000), ' GIVEN'), 'Chief Financial Officer, Director',
      if(number % 3 = 0, 'buy', 'sell'), 'P', number % 90000, (number % 50000) / 100,
      (number % 90000) * ((number % 50000) / 100), 'low', 'as_filed', toString(toDate(${filed})), toDate32(${filed}),
      'Common Stock', [2000000 + number % 40000], [''], [''], [3], 1
    FROM numbers(${ROWS})
    SETTINGS max_execution_time = 0`)
  for (const kind of ['issuer', 'owner']) {
    const key = kind === 'issuer' ? issuer : sql`2000000 + number % 40000`
    await store.forBulk.command(sql`
      INSERT INTO incoming_directory (
        kind, key, filed_at, accession, issuer_cik, name, form, symbols, owner_ciks, version)
      SELECT ${kind}, leftPad(toString(${key}), 10, '0'), ${filed}, ${accession}, ${issuer}, 'NAME', '4',
        [concat('T', toString(${issuer}))], [2000000 + number % 40000], 1
      FROM numbers(${ROWS})
      SETTINGS max_execution_time = 0`)
  }
}

async function made(store: ClickHouse) {
  const none = async function* () {}
  const record = { position: async () => '0', wholeMonths: async () => [], seenAt: async () => [], documents: none }
  const source = new ClickHouseExportSource(store, async () => new Map(), { record, contents: none })
  const [whole, bare]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    const own = new ExportFiles(join(folder, `exports-${round}`))
    const make = makeExportMaker({ source, record, folder: own, clock: Date.now, between: async () => {} })
    whole.push(await seconds(() => make(() => {})))
    bare.push(
      await seconds(async () => {
        for (const dataset of DATASETS) {
          for (const { period } of await source.parts(dataset)) {
            for await (const _ of source.files(period, [dataset])) {
              /* read alone */
            }
          }
        }
      }),
    )
  }
  return { seconds: median(whole), statementSeconds: median(bare), statementsToMaking: median(bare) / median(whole) }
}

/** What the engine takes for the same rows as one answer. */
async function engineSeconds(store: ClickHouse): Promise<number> {
  const rows = sql`SELECT transaction FROM transaction_lists FINAL
    WHERE key >= 'f:' AND key < 'f;' ORDER BY key DESC FORMAT JSONEachRow`
  const took: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) took.push(await seconds(() => store.bytes(rows)))
  return median(took)
}

/** Asks a service of its own for all rows: as fast as it goes, and slowly. */
async function exported(path: string) {
  const child = fork(fileOf('./export-service.ts'), {
    execArgv: ['--expose-gc'],
    env: { ...process.env, NODE_ENV: 'production', ENGINE: path },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [port] = (await once(child, 'message')) as [number]
  const rss = async () => {
    child.send('rss')
    const [megabytes] = (await once(child, 'message')) as [number]
    return megabytes
  }
  const took: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const one = await seconds(async () => {
      const reply = await fetch(`http://127.0.0.1:${port}/v1/feed/export`, {
        headers: { authorization: `Bearer ${EXAMPLE_KEY}` },
      })
      let bytes = 0
      for await (const part of reply.body!) bytes += part.length
      if (bytes < ROWS * 100) throw new Error('the export is too short')
    })
    // The first one warms up.
    if (round > 0) took.push(one)
  }
  const before = await rss()
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET /v1/feed/export HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${EXAMPLE_KEY}\r\n\r\n`)
  let highest = before
  for (let look = 0; look < 40; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    for (let got = 0; got < 500_000;) {
      const data = socket.read() as Buffer | null
      if (data === null) break
      got += data.length
    }
    if (look % 5 === 4) highest = Math.max(highest, await rss())
  }
  socket.destroy()
  child.disconnect()
  return {
    lines: { rowsPerSecond: ROWS / median(took) },
    memory: { beforeMiB: before, highestMiB: highest, moreMiB: highest - before },
  }
}

async function seconds(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await act()
  return (performance.now() - begun) / 1000
}
