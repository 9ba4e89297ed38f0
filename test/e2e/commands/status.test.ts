// What make status says beyond what runs: jobs, EDGAR, what waits, versions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import pg from 'pg'
import { inventedListings } from '../../support/edgar/invented/world.ts'
import { startSimulatedEdgar, type SimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'

describe('make status', function () {
  this.timeout(120_000)
  let stack: StackOfTest
  let edgar: SimulatedEdgar
  const status = async () => (await stack.make('status')).json!
  const until = async (what: (json: Record<string, any>) => boolean): Promise<Record<string, any>> => {
    for (let tries = 0; ; tries += 1) {
      const json = await status()
      if (what(json)) return json
      assert.isBelow(tries, 40, JSON.stringify(json))
      await sleep(250)
    }
  }

  before(async () => {
    stack = await stackOfTest()
    edgar = await startSimulatedEdgar({ companies: inventedListings() })
  })
  after(async () => {
    await stack.remove()
    await edgar.close()
  })

  it('says that EDGAR is not followed, of jobs what waits, and which versions run', async () => {
    await stack.make('up')
    const json = await until(({ edgar: { followed } }) => !followed)
    assert.deepEqual(json.edgar, { followed: false, answeredAt: null, fault: null })
    assert.deepEqual(json.waiting, { fetch: 0, projection: 0, rejected: 0 })
    assert.strictEqual(json.versions.service, json.versions.checkout)
    assert.match(json.versions.build, /^[0-9a-f]{16}$/)
    assert.match(json.versions.schema, /^\d{4}_\w+\.sql$/)
    const { port, password } = JSON.parse(readFileSync(join(stack.dataDir, 'postgres.json'), 'utf8'))
    const database = new pg.Client({ host: '127.0.0.1', port, password, user: 'insider', database: 'insider' })
    await database.connect()
    await database.query(`INSERT INTO jobs (kind, status, started_at, attempts, done, total)
      VALUES ('companies', 'running', now() + interval '1 h', 1, 45, 100)`)
    await database.end()
    const { stdout } = await stack.make('status', { JSON: 0 })
    assert.match(stdout, /^edgar {5}not followed: make up EDGAR_USER_AGENT=/m)
    assert.match(stdout, /^job {7}1 {2}companies {2}running 45 %, begun /m)
    assert.match(stdout, /^versions {2}service \d\S+ \(build \w+\), checkout \d\S+, PostgreSQL \d+\.\d+ with \d{4}_/m)
  })

  it('says when EDGAR answered, and why it did not since', async () => {
    await stack.make('down')
    const up = await stack.make('up', {
      EDGAR_BASE_URL: edgar.url,
      EDGAR_DATA_URL: edgar.url,
      EDGAR_USER_AGENT: 'Example Fund ops@example.com',
      EDGAR_POLL_SECONDS: 1,
    })
    assert.strictEqual(up.status, 0, up.stderr)
    const { edgar: reached } = await until((json) => json.edgar.answeredAt !== null)
    assert.deepInclude(reached, { followed: true, fault: null })
    await edgar.close()
    const { edgar: lost } = await until((json) => json.edgar.fault !== null)
    assert.strictEqual(lost.followed, true)
    assert.isAtLeast(Date.parse(lost.answeredAt), Date.parse(reached.answeredAt))
    const { stdout } = await stack.make('status', { JSON: 0 })
    assert.match(stdout, /^edgar {5}followed, answered \S+Z, failing since: \S/m)
    assert.match(stdout, /^lag {7}no live filing received yet; 0 to fetch, 0 to project, 0 rejected$/m)
  })

  it('knows nothing of EDGAR and jobs where nothing runs', async () => {
    await stack.make('down')
    assert.deepInclude(await status(), { running: false, edgar: null, jobs: null, lagSeconds: null })
    assert.notMatch((await stack.make('status', { JSON: 0 })).stdout, /^edgar/m)
  })
})
