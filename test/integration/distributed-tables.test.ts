// All that is written and asked goes through Distributed tables as it does through plain ones. Of one shard, in this engine:
// more need servers. So this shows that every statement is understood by such a table, FINAL and INSERT ... SELECT among
// them, and not how several shards come together.
import { expect } from 'chai'
import { the } from '../../src/container.ts'
import { sql, Sql } from '../../src/infrastructure/clickhouse/sql.ts'
import { difference, loadSets } from '../support/edgar/in-data-set.ts'
import { inventedFiling } from '../support/edgar/invented-filings.ts'
import { INVENTED_COMPANIES } from '../support/edgar/invented-world.ts'
import { documentsOf, setsOf, TANGLED_ISSUERS, tangledHistory } from '../support/edgar/tangled-history.ts'
import { testService, type TestService } from '../support/service.ts'

const SHARDED = ['trades', 'directory', 'signals']

const HOUR = 3_600_000
// Of three companies, so that there are signals.
const SIGNALLING = INVENTED_COMPANIES.slice(0, 3).map(({ cik }) => cik)
const filings = Array.from({ length: 2_400 }, (_, index) =>
  inventedFiling(index + 1, { seed: 5, acceptedAt: (number) => Date.UTC(2025, 1, 3, 14) + number * 6 * HOUR }))
  .filter(({ spec }) => SIGNALLING.includes(spec.issuer!.cik!))
  .map(({ accession, text }) => ({ path: `${accession}.txt`, text }))

/** The rows under `<name>_local`, and under the name a Distributed table over them, as on a cluster. */
async function distribute({ store }: TestService): Promise<void> {
  for (const table of SHARDED) {
    await store.command(new Sql(`RENAME TABLE ${table} TO ${table}_local`))
    await store.command(new Sql(`CREATE TABLE ${table} AS remote('127.0.0.1', '${store.database}', '${table}_local', intHash64(issuer_cik))`))
  }
}

async function filled(service: TestService): Promise<void> {
  await service.container.get(the.companyList).replace(
    [{ ticker: 'LSTD', cik: TANGLED_ISSUERS[0]!, name: 'Listed', exchange: null }], 'test', Buffer.alloc(32))
  await service.container.get(the.refreshCompanies)(() => {})
  const history = tangledHistory(4, 60)
  const [first, ...others] = setsOf(history)
  const documents = documentsOf(history)
  await loadSets(service, [first!])
  await service.take(...documents.slice(0, 20))
  await loadSets(service, others)
  await service.take(...documents.slice(20))
  // In two halves, so that signals grow and what was marked is marked anew.
  for (const some of [filings.slice(0, filings.length / 2), filings.slice(filings.length / 2)]) {
    await service.take(...some)
    await service.judge()
  }
}

async function answers({ queries, listed }: TestService): Promise<Record<string, string[]>> {
  const { signals } = await queries.signals({ limit: 100 })
  return {
    feed: await listed(),
    answers: [
      ...await Promise.all(['buys', 'sells', 'high', 'ceo_cfo'].map((filter) => queries.feed({ filter: filter as 'buys', limit: 50 }))),
      await queries.company('LSTD', true), await queries.feedStats(), signals,
      ...await Promise.all(signals.slice(0, 5).map(({ id }) => queries.signal(id, true))),
    ].map((answer) => JSON.stringify(answer)),
  }
}

describe('Distributed tables', function () {
  this.timeout(240_000)
  let plain: TestService
  let distributed: TestService
  before(async () => {
    [plain, distributed] = [await testService(), await testService()]
    await distribute(distributed)
    await Promise.all([plain, distributed].map(filled))
  })
  after(async () => { for (const service of [plain, distributed]) await service?.close() })

  it('hold what plain ones do, from sets, documents, amendments and signals', async () => {
    const [expected, found] = [await plain.dump(), await distributed.dump()]
    expect(expected.trades!.length).to.be.greaterThan(100)
    expect(expected.signals!.length).to.be.greaterThan(2)
    expect(difference(expected, found)).to.equal('')
  })

  it('answer every question as plain ones do', async () => {
    expect(difference(await answers(plain), await answers(distributed))).to.equal('')
  })

  it('are told of every deletion with its issuer, by which its shard is found', async () => {
    for (const table of SHARDED) {
      const [count] = await distributed.store.rows<{ gone: number; lost: number }>(
        sql`SELECT countIf(deleted) AS gone, countIf(issuer_cik = 0) AS lost FROM ${new Sql(table)}`)
      expect(count!.lost, table).to.equal(0)
      if (table !== 'signals') expect(count!.gone, table).to.be.greaterThan(0)
    }
  })
})
