// A quarter loaded again may lack amendments that it had. The rows that these replaced must then be current again, and
// gone from the earlier states, as in a store that never had the amendments.
import { assert } from 'chai'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { dataSetOf } from '../../support/edgar/invented/data-set-files.ts'
import { difference, loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { setsOf, tangledHistory, type ToldFiling } from '../../support/edgar/invented/related-trades.ts'
import { filingOf, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { testServices, type TestService } from '../../support/service/service.ts'
import { nightly } from '../../support/volume.ts'

describe('quarters loaded again without some of their amendments', function () {
  this.timeout(300_000)
  const fresh = testServices()
  const formerKeys = async ({ store }: TestService) =>
    (await store.rows<{ key: string }>(sql`SELECT key FROM transaction_lists FINAL WHERE key < 'a' ORDER BY key`)).map(
      ({ key }) => key,
    )

  const original: FilingSpec = {
    accession: '0001999001-24-000001',
    acceptedAt: '20240715163000',
    rows: [{ shares: '1' }, { shares: '2', date: '2024-07-11' }],
  }
  const joint: FilingSpec = {
    ...original,
    accession: '0001999001-24-000002',
    owners: [
      { cik: '0000000201', name: 'SAMPLE ONE', isDirector: true },
      { cik: '0000000202', name: 'SAMPLE TWO', isTenPercentOwner: true },
    ],
  }
  const amendments = [original, joint].map((spec, index): FilingSpec => ({
    ...spec,
    accession: `0001999001-24-00000${index + 3}`,
    acceptedAt: '20240716163000',
    formType: '4/A',
    dateOfOriginalSubmission: '2024-07-15',
    rows: spec.rows!.map((row) => ({ ...row, shares: '7' })),
  }))
  const setOf = (...specs: FilingSpec[]) => dataSetOf(specs.map((spec) => filingOf(spec)))

  /** Detects signals first, which also records first purchases in data sets. */
  const assertEqual = async (expected: TestService, service: TestService) => {
    for (const each of [expected, service]) await each.detectSignals()
    assert.strictEqual(difference(await expected.dump(), await service.dump()), '')
  }

  it('make the amended rows current, and keep no earlier states', async () => {
    const [service, expected] = [await fresh(), await fresh()]
    await loadSets(service, [['2024q3', setOf(original, joint, ...amendments)]])
    assert.isNotEmpty(await formerKeys(service))
    await loadSets(service, [['2024q3', setOf(original, joint)]])
    await loadSets(expected, [['2024q3', setOf(original, joint)]])
    assert.deepEqual(await formerKeys(service), [])
    await assertEqual(expected, service)
  })

  for (const seed of [41, 42])
    nightly(`equal quarters that never had them (${seed})`, async () => {
      const all = tangledHistory(seed, 100).map((told): ToldFiling => ({ ...told, by: 'set' }))
      const isLess = ({ spec }: ToldFiling, index: number) => spec.formType !== '4/A' || index % 3 > 0
      const less = all.filter(isLess)
      // What is left out comes last, so that the keys of all other rows stay.
      const whole = [...less, ...all.filter((told, index) => !isLess(told, index))]
      const [service, expected] = [await fresh(), await fresh()]
      await loadSets(service, setsOf(whole))
      const before = await formerKeys(service)
      await loadSets(service, setsOf(less))
      await loadSets(expected, setsOf(less))
      const after = await formerKeys(service)
      assert.isNotEmpty(after)
      assert.isAbove(before.length, after.length)
      await assertEqual(expected, service)
    })
})
