// Text that others wrote, in the output of commands and in the log: answers of receivers and of EDGAR, names,
// addresses, files, documents, lines of data sets, requests. It may never move the cursor, or hide, reorder or forge a
// line.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import pg from 'pg'
import { call } from '../../support/http/contract-client.ts'
import { dataSetOf, writeDataSet } from '../../support/edgar/invented/data-set-files.ts'
import { filingOf } from '../../support/filings/filing-builder.ts'
import { submissionOf } from '../../support/filings/filing-text.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'
import { get, rawExchange } from '../../support/http/raw-http.ts'
import { rawReceiver, type RawReceiver } from '../../support/webhooks/raw-receiver.ts'
import { databaseUrlOf } from '../../support/stores/embedded.ts'

/** What XML takes: C1, DEL, turned text, what can't be seen, a separator of lines. */
const QUIET = 'MARK\x9b31m\x7f\u202eevil\u2066\u200b\u2028'
/** What a header may hold. */
const HEADER = QUIET.replace('\x7f', '')
/** Clears the screen and sets its title as well, and begins a line of its own. */
const LOUD = `${QUIET}\x1b[2J\x1b]0;owned\x07\x08\r\nFORGED: all is well\ttab`
const FORBIDDEN = new RegExp(
  '[\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f' +
    '\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ud800-\\udfff]',
)

function expectPrintable(text: string, what: string): void {
  const found = FORBIDDEN.exec(text)
  const near = found && JSON.stringify(text.slice(Math.max(0, found.index - 80), found.index + 20))
  assert.strictEqual(near, null, `${what}: U+${found?.[0].charCodeAt(0).toString(16)}`)
  assert.deepEqual(
    text.split('\n').filter((line) => line.startsWith('FORGED')),
    [],
    what,
  )
}

describe('hostile text in the output of commands', function () {
  this.timeout(180_000)
  let stack: StackOfTest
  let receiver: RawReceiver
  let database: pg.Client
  /** The built program. */
  let main: string
  const folder = mkdtempSync(join(tmpdir(), 'insider-hostile-'))
  /** As the receiver of alerts and as EDGAR: the text stands in the answer's first line, its headers and its body. */
  const hostileAnswer = (status: number) => {
    const body = Buffer.from(`${LOUD}${LOUD}`)
    const word = Buffer.from(HEADER).toString('latin1')
    const head = `HTTP/1.1 ${status} ${word}\r\nX-Word: ${word}\r\nContent-Length: ${body.length}\r\n\r\n`
    return Buffer.concat([Buffer.from(head, 'latin1'), body])
  }

  const edgar = () => ({
    EDGAR_BASE_URL: receiver.url.replace('/hook', ''),
    EDGAR_USER_AGENT: 'Example Fund ops@example.com',
  })

  before(async () => {
    stack = await stackOfTest()
    receiver = await rawReceiver((socket, { head }) => socket.write(hostileAnswer(head.startsWith('POST') ? 400 : 200)))
    const up = await stack.make('up', {
      WEBHOOK_ALLOW_HTTP: 1,
      WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
      ...edgar(),
      EDGAR_POLL_SECONDS: 1,
      LOG_LEVEL: 'trace',
    })
    assert.strictEqual(up.status, 0, up.stderr)
    main = JSON.parse(readFileSync(join(stack.dataDir, 'service.json'), 'utf8')).main
    database = new pg.Client({ connectionString: databaseUrlOf(stack.dataDir) })
    await database.connect()
    database.on('error', () => {
      /* it ends with the stack */
    })
  })
  after(async () => {
    await stack.remove()
    await receiver.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** What the command says, as lines and as JSON, is fit for a terminal; the JSON is one, and its result is given. */
  const printed = async (target: string, variables: Record<string, string | number> = {}) => {
    const plain = await stack.make(target, { ...variables, JSON: 0 })
    expectPrintable(plain.stdout + plain.stderr, `make ${target}`)
    const made = await stack.make(target, variables)
    expectPrintable(made.stdout + made.stderr, `make ${target} JSON=1`)
    assert.notStrictEqual(made.json, null, `${target}: ${made.stdout}${made.stderr}`)
    return { plain: plain.stdout + plain.stderr, json: made.json! }
  }

  it('of receivers, names of keys and addresses is escaped by every command about webhooks', async () => {
    const { id, key } = (await stack.make('key', { NAME: 'me' })).json!
    const headers = { authorization: `Bearer ${key}` }
    const body = { ticker: 'EXWI', webhookUrl: receiver.url }
    assert.strictEqual((await call(stack.address, 'POST', '/v1/watchlist', { headers, body })).status, 201)
    const {
      json: {
        deliveries: [delivery],
      },
    } = await printed('test-event', { KEY_ID: id })
    const { plain, json } = await printed('delivery', { ID: delivery })
    assert.include(plain, 'MARK')
    assert.include(plain, '\\u001b[2J')
    assert.include(plain, '\\r\\nFORGED')
    assert.include(json.delivery.attemptsMade[0].answer, LOUD)
    await database.query('UPDATE api_keys SET name = $1 WHERE id = $2', [LOUD, id])
    await database.query(`UPDATE deliveries SET status = 'dead', settled_at = now(), url = url || $1, reason = $1`, [
      LOUD,
    ])
    // Watched, since the service deletes addresses that are not.
    await database.query(`INSERT INTO watchlist (key_id, ticker, webhook_url) VALUES ($1, 'EXGD', $2)`, [
      id,
      `http://${LOUD}/`,
    ])
    await database.query(
      `INSERT INTO endpoints (key_id, url, failing_since, disabled_at, disabled_reason)
      VALUES ($1, $2, now(), now(), $3)`,
      [id, `http://${LOUD}/`, LOUD],
    )
    assert.include(
      (await printed('keys')).json.keys.map(({ name }: { name: string }) => name),
      LOUD,
    )
    assert.include((await printed('deliveries')).json.deliveries[0].url, LOUD)
    const { addresses } = (await printed('addresses')).json
    assert.include(
      addresses.map(({ disabledReason }: { disabledReason: string }) => disabledReason),
      LOUD,
    )
    assert.strictEqual((await printed('delivery', { ID: delivery })).json.delivery.reason, LOUD)
  })

  it('of file names and documents is escaped by ingest, rejected and retry', async () => {
    const files = join(folder, 'filings')
    mkdirSync(files)
    const name = `${LOUD.replaceAll('/', '')}.txt`
    const whole = submissionOf(filingOf({ accession: '0001999001-26-000001', acceptedAt: '20260302163000' }))
    writeFileSync(join(files, name), '<SEC-DOCUMENT>')
    writeFileSync(Buffer.concat([Buffer.from(`${files}/`), Buffer.from([0x4d, 0xff, 0x9b, 0x1b])]), '<SEC-DOCUMENT>')
    const damaged = [
      whole.replace(/<transactionShares>\s*<value>[^<]*/, (found) => `${found}${QUIET}`),
      whole.replace('<documentType>4', `<documentType>${QUIET}`),
      whole.replace('<notSubjectToSection16>', `<${QUIET}>`),
      whole.replace('</issuer>', `${QUIET}</issuer>`),
      whole.replace('<rptOwnerCik>', `<rptOwnerCik>${LOUD}`),
    ]
    for (const [place, text] of damaged.entries()) {
      writeFileSync(join(files, `${place}.txt`), text.replaceAll('26-000001', `26-00010${place}`))
    }
    const { plain, json } = await printed('ingest', { FROM: files })
    assert.include(
      json.rejects.map(({ file }: { file: string }) => file),
      join(files, name),
    )
    assert.include(plain, '\\r\\nFORGED')
    assert.include(plain, 'MARK\\u009b31m')
    assert.include((await printed('rejected')).plain, '\\u202e')
    await printed('retry')
    await printed('ingest', { FROM: `${folder}/${QUIET}` })
  })

  it('of lines of data sets is escaped by backfill and rejected', async () => {
    const sets = join(folder, 'sets')
    mkdirSync(sets)
    const filings = [1, 2, 3].map((number) =>
      filingOf({
        accession: `0001999001-24-00000${number}`,
        acceptedAt: '20240702120000',
        rows: [{ date: '2024-07-01' }],
      }),
    )
    const tables = dataSetOf(filings)
    const damaged = tables.NONDERIV_TRANS.replaceAll('0001999001-24-000001', `${QUIET}\x1b[2J`).replace(
      /\t01-JUL-2024\t/i,
      `\t${QUIET}\t`,
    )
    assert.notStrictEqual(damaged, tables.NONDERIV_TRANS)
    await writeDataSet(sets, '2024q3', { ...tables, NONDERIV_TRANS: damaged })
    await printed('backfill', { SETS: sets })
    const { plain, json } = await printed('rejected')
    assert.notDeepEqual(json.sets, [])
    assert.include(plain, 'MARK')
  })

  it('of faults of jobs and of EDGAR is escaped by jobs and status', async () => {
    await database.query(
      `INSERT INTO jobs (kind, args, status, error, finished_at)
      VALUES ('catch-up', $1, 'failed', $2, now())`,
      [{ from: LOUD, to: LOUD }, LOUD],
    )
    await database.query(
      `INSERT INTO source_positions VALUES ('edgar-fault', $1, now() + interval '1 h')
      ON CONFLICT (source) DO UPDATE SET position = $1, moved_at = now() + interval '1 h'`,
      [LOUD],
    )
    assert.include(
      (await printed('jobs')).json.jobs.map(({ error }: { error: string }) => error),
      LOUD,
    )
    await printed('status')
  })

  it('of EDGAR and of callers is escaped in the log, which stays JSON, and by make logs and catch-up', async () => {
    const path = `/v1/feed?filter=${encodeURIComponent(LOUD)}`
    await rawExchange(stack.port, get(path, `User-Agent: ${HEADER}`, `X-Request-Id: ${HEADER}`))
    await rawExchange(stack.port, get(`/${encodeURIComponent(LOUD)}`, `User-Agent: ${QUIET}`))
    await printed('companies', { FROM: `${receiver.url}/${encodeURIComponent(LOUD)}` })
    await sleep(1_500)
    expectPrintable(readFileSync(join(stack.dataDir, 'logs', 'service.log'), 'utf8'), 'service.log')
    await printed('logs', { LINES: 10_000 })
    await stack.make('down')
    for (const file of readdirSync(join(stack.dataDir, 'logs')).filter((name) => name.startsWith('service'))) {
      const lines = readFileSync(join(stack.dataDir, 'logs', file), 'utf8')
        .trimEnd()
        .split('\n')
      const told = lines.map((line) => JSON.parse(line) as { msg: string; userAgent?: string; reason?: string })
      assert.strictEqual(
        told.some(({ userAgent }) => userAgent?.includes('\x9b31m')),
        true,
      )
      assert.strictEqual(
        told.some(({ msg }) => msg === 'EDGAR request failed'),
        true,
      )
    }
    const caught = await printed('catch-up', { FROM: '2026-03-02', ...edgar() })
    assert.strictEqual(caught.json.ok, false)
  })

  it('on the command line is escaped in error messages', () => {
    for (const words of [
      [LOUD],
      ['keys', LOUD],
      ['keys', 'issue', `--name=${LOUD}`],
      ['keys', 'issue', `--${LOUD}`],
      ['ingest', LOUD],
      ['backfill', LOUD],
      ['catch-up', LOUD],
      ['logs', `--lines=${LOUD}`],
    ]) {
      const PORT = words.length === 1 ? LOUD : '8080'
      const env = { ...process.env, DATA_DIR: join(folder, 'none'), JSON: '1', PORT }
      const { stdout, stderr, status } = spawnSync(process.execPath, [main, ...words], { encoding: 'utf8', env })
      assert.notStrictEqual(status, 0, words.join(' '))
      expectPrintable(stdout + stderr, words.join(' '))
      assert.match(stderr, /^error: .*\n$/)
      assert.include(JSON.parse(stdout), { ok: false })
    }
  })
})
