// What operators see of deliveries, and what resending does.
import { assert } from 'chai'
import { PostgresDeliveryCommands } from '../../../src/infrastructure/postgres/alerts/delivery-commands.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import { PostgresOperatorQueries } from '../../../src/infrastructure/postgres/queries/operator-queries.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const URL = 'https://alerts.example.com/hook?token=secret'

describe('records of deliveries', () => {
  let service: TestService
  let queries: PostgresOperatorQueries
  let commands: PostgresDeliveryCommands

  beforeEach(async () => {
    service = await testService()
    queries = new PostgresOperatorQueries(service.pool)
    commands = new PostgresDeliveryCommands(service.pool)
    await service.pool.query(
      `INSERT INTO api_keys (id, name, secret_hash, webhook_secret)
       VALUES ('a', 'a', '', ''), ('b', 'b', '', '')`,
    )
    await service.pool.query(
      `INSERT INTO watchlist (key_id, ticker, webhook_url)
       VALUES ('a', 'EXWI', $1), ('a', 'EXWA', $1), ('b', 'EXWI', NULL)`,
      [URL],
    )
    await service.pool.query(
      `INSERT INTO events (id, type, issuer_cik, data)
       VALUES ('transaction.created/1', 'transaction.created', '1', '{"n":1}')`,
    )
  })

  afterEach(() => service.close())

  const add = (
    id: string,
    status: string,
    more: { reason?: string; daysAgo?: number; diedDaysAgo?: number; url?: string; key?: string } = {},
  ) =>
    service.pool.query(
      `INSERT INTO deliveries
         (id, event_id, key_id, url, status, reason, attempts, created_at, settled_at, published_at, lease)
       VALUES ($1, 'transaction.created/1', $2, $3, $4, $5, 8,
         now() - make_interval(days => $6), now() - make_interval(days => $7), now(), 'x')`,
      [id, more.key ?? 'a', more.url ?? URL, status, more.reason ?? null, more.daysAgo ?? 0, more.diedDaysAgo ?? 0],
    )

  const stateOf = async (id: string) => {
    const [state] = await rows(
      service.pool,
      `SELECT status, reason, attempts, published_at, lease, settled_at, next_attempt_at <= now() AS due
       FROM deliveries
       WHERE id = $1`,
      [id],
    )
    return state
  }

  const FRESH = {
    status: 'waiting',
    reason: null,
    attempts: 0,
    published_at: null,
    lease: null,
    settled_at: null,
    due: true,
  }
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)

  it('are listed newest first, by status, key and time, without the query of an address', async () => {
    await add('old', 'delivered', { daysAgo: 3 })
    await add('dead', 'dead', { reason: '8 attempts failed', daysAgo: 1 })
    await add('other', 'waiting', { key: 'b' })

    const ids = async (filter: object) => (await queries.deliveries({ limit: 10, ...filter })).map(({ id }) => id)
    const shown = JSON.stringify(await queries.deliveries({ limit: 10 }))

    assert.deepEqual(await ids({}), ['other', 'dead', 'old'])
    assert.deepEqual(await ids({ status: 'dead' }), ['dead'])
    assert.deepEqual(await ids({ keyId: 'a' }), ['dead', 'old'])
    assert.deepEqual(await ids({ since: hoursAgo(48) }), ['other', 'dead'])
    assert.deepEqual(await ids({ limit: 1 }), ['other'])
    assert.include(shown, 'https://alerts.example.com/hook?...')
    assert.notInclude(shown, 'secret')
  })

  it('are shown with their data and every attempt', async () => {
    await add('one', 'delivered')
    await service.pool.query(
      `INSERT INTO delivery_attempts
       VALUES ('one', 1, now(), 12.5, NULL, 'timeout', NULL), ('one', 2, now(), 3, 200, NULL, 'fine')`,
    )

    const shown = await queries.delivery('one')

    assert.deepInclude(shown, { id: 'one', data: '{"n":1}', status: 'delivered', event: 'transaction.created/1' })
    assert.deepEqual(
      shown!.attemptsMade.map(({ at: _, ...attempt }) => attempt),
      [
        { number: 1, milliseconds: 12.5, status: null, error: 'timeout', answer: null },
        { number: 2, milliseconds: 3, status: 200, error: null, answer: 'fine' },
      ],
    )
    assert.strictEqual(await queries.delivery('none'), null)
  })

  it('restart at the first step of the schedule when resent, to an address that is enabled again', async () => {
    await add('one', 'dead', { reason: 'the address answered 410' })
    await service.pool.query(
      `INSERT INTO endpoints (key_id, url, failing_since, disabled_at, disabled_reason)
       VALUES ('a', $1, now(), now(), '410')`,
      [URL],
    )
    assert.lengthOf(await queries.troubledAddresses(), 1)

    assert.strictEqual(await commands.resend('none'), false)
    assert.strictEqual(await commands.resend('one'), true)

    assert.deepEqual(await stateOf('one'), FRESH)
    assert.deepEqual(await queries.troubledAddresses(), [])
  })

  it('are replayed if they died since a time and a valid key still watches the address', async () => {
    await add('early', 'dead', { daysAgo: 5, diedDaysAgo: 3 })
    // All of its attempts took longer than a day.
    await add('dead', 'dead', { daysAgo: 3 })
    await add('unwatched', 'dead', { url: 'https://elsewhere.example.com/' })
    await add('fine', 'delivered')

    assert.strictEqual(await commands.replay(hoursAgo(48)), 1)
    assert.deepEqual(await stateOf('dead'), FRESH)

    await service.pool.query('UPDATE api_keys SET revoked_at = now()')
    assert.strictEqual(await commands.replay(hoursAgo(100)), 0)
  })

  it('of a test are made once for each address of the key', async () => {
    assert.lengthOf(await commands.sendTest('a', null), 1)
    assert.lengthOf(await commands.sendTest('a', URL), 1)
    assert.deepEqual(await commands.sendTest('a', 'https://elsewhere.example.com/'), [])
    assert.deepEqual(await commands.sendTest('b', null), [])

    const made = await rows(
      service.pool,
      'SELECT type, count(*) AS n FROM deliveries JOIN events ON events.id = event_id GROUP BY type',
    )
    assert.deepEqual(made, [{ type: 'test', n: 2 }])
  })
})
