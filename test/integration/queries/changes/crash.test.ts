// A crash of PostgreSQL while filings are marked takes back nothing that a reader of the log or a receiver of webhooks
// got.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { createContainer } from '../../../../src/container/container.ts'
import { TYPES } from '../../../../src/container/tokens.ts'
import { waitForExit } from '../../../../src/infrastructure/embedded/processes.ts'
import { ensureStores, findStores, type Stores } from '../../../../src/infrastructure/embedded/stores.ts'
import { PostgresLogReader } from '../../../../src/infrastructure/postgres/changes/log-reader.ts'
import { migratePostgres } from '../../../../src/infrastructure/postgres/migrate.ts'
import { openPool, rows, type Pool } from '../../../../src/infrastructure/postgres/pool.ts'
import { listChanges } from '../../../../src/infrastructure/postgres/queries/list-changes.ts'
import { PostgresDeliveries } from '../../../../src/infrastructure/postgres/alerts/deliveries.ts'
import { submissionText } from '../../../support/filings/filing-builder.ts'
import { addKey, clearUnseal } from '../../../support/service/alerts.ts'
import { asSuperuser } from '../../../support/stores/embedded.ts'
import { ownRedis } from '../../../support/stores/stores.ts'

const CRASHES = 3
const BATCHES = 5

describe('a crash of PostgreSQL', function () {
  this.timeout(120_000)
  const dataDir = mkdtempSync(join(tmpdir(), 'test-crash-'))
  let stores: Stores | null = null
  let pool: Pool | null = null
  let count = 0
  after(async () => {
    await pool?.end()
    await stores?.release()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const start = async () => {
    stores = await ensureStores({ dataDir, databaseUrl: null, redisUrl: await ownRedis() })
    return (pool = openPool({ url: stores.databaseUrl, name: 'test', max: 6 }))
  }
  const crash = async () => {
    const { postgres } = await findStores(dataDir)
    process.kill(postgres!.pid, 'SIGKILL')
    await waitForExit(postgres!, 60_000)
    await pool!.end()
    return start()
  }
  /** Records a filing, and marks it as the service does, with an event and an entry of the log. */
  const ingest = async (by: Pool) => {
    count += 1
    const accession = `0001999001-26-${String(count).padStart(6, '0')}`
    const { ledger, recordFilings } = services(by)
    await recordFilings([{ path: accession, bytes: Buffer.from(submissionText({ accession })) }])
    const { documents, version } = await ledger.pending(10)
    const subject = { type: 'transaction.created' as const, data: '{}' }
    const event = { ...subject, id: `transaction.created/${accession}`, issuerCik: '0001999001', createdAt: Date.now() }
    await ledger.markProjected(documents, version, {
      events: [{ ...event, symbols: ['EXWI'], ticker: 'EXWI', rules: [] }],
      reported: [{ ...subject, id: event.id, issuerCiks: [event.issuerCik] }],
    })
  }
  const services = (by: Pool) => {
    const container = createContainer({ pool: by })
    return { ledger: container.get(TYPES.ledger), recordFilings: container.get(TYPES.recordFilings) }
  }
  const sectors = async () => () => 'Unknown' as const

  it('takes back no change that streams have shown, and no delivery that was published', async () => {
    chmodSync(dataDir, 0o711)
    let database = await start()
    await migratePostgres(database)
    await addKey(database, 'k1')
    await rows(
      database,
      `INSERT INTO watchlist (key_id, ticker, webhook_url) VALUES ('k1', 'EXWI', 'https://a.example/')`,
    )
    // What is committed without waiting for the disk stays in memory for so long.
    await asSuperuser(dataDir, [`ALTER SYSTEM SET wal_writer_delay = '10s'`, 'SELECT pg_reload_conf()'])
    const shown: [position: number, id: string][] = []
    // The mark that one was published may be lost: it is then published again, under its id.
    const published = new Set<string>()
    for (let number = 0; number < CRASHES; number += 1) {
      const reader = new PostgresLogReader(database)
      const deliveries = new PostgresDeliveries(database, clearUnseal)
      let position = (await reader.read(null, 1)).last
      for (let batch = 0; batch < BATCHES; batch += 1) {
        await ingest(database)
        const { entries, end } = await reader.read(position, 100)
        shown.push(...entries.map(({ seq, id }) => [seq, id] as [number, string]))
        position = end
        await deliveries.publishDue(100, async (due) => {
          for (const { deliveryId } of due) published.add(deliveryId)
        })
      }
      database = await crash()
      const { value: page } = await listChanges(database, { sectors })({ after: 'earliest', limit: 500 })
      assert.deepEqual(
        page.changes.map(({ cursor, id }) => [Number(cursor), id]),
        shown,
      )
      assert.isAtLeast(Number(page.nextCursor), position)
      const kept = await rows<{ id: string }>(database, 'SELECT id FROM deliveries')
      assert.sameMembers(
        kept.map(({ id }) => id),
        [...published],
      )
      assert.strictEqual(published.size, shown.length)
    }
    assert.lengthOf(shown, CRASHES * BATCHES)
  })
})
