// SIGKILL after every single step from a document to its rows: whatever was lost half done, the next run completes it,
// with nothing lost and nothing doubled.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { ownershipXml, submissionText } from '../../support/filings/filing-builder.ts'
import type { KillOrder, KillOutcome } from '../../support/service/processes/killed-child.ts'
import { runSelfKilling } from '../../support/service/processes/self-killing.ts'
import { ownClickHouse, stores } from '../../support/stores/stores.ts'
import { volume } from '../../support/volume.ts'

/** Null where the process was killed. */
const run = (order: KillOrder) => runSelfKilling<KillOutcome>('killed-child.ts', order)

// A bare document that its submission replaces, a pair that is one event, an amendment, and a CEO's trade that is a
// signal.
const group = { isTenPercentOwner: true }
const documents = [
  ['bare.xml', ownershipXml({ rows: [{ shares: '55' }] })],
  [
    '0001999001-25-000001.txt',
    submissionText({ accession: '0001999001-25-000001', rows: [{ shares: '55' }, { shares: '66' }] }),
  ],
  [
    '0001999001-25-000002.txt',
    submissionText({
      accession: '0001999001-25-000002',
      owners: [{ isOfficer: true, officerTitle: 'CEO' }],
      rows: [{ shares: '55000' }],
    }),
  ],
  [
    '0001999001-25-000003.txt',
    submissionText({ accession: '0001999001-25-000003', owners: [{ cik: '0000000007', ...group }] }),
  ],
  [
    '0001999001-25-000004.txt',
    submissionText({ accession: '0001999001-25-000004', owners: [{ cik: '0000000008', ...group }] }),
  ],
  [
    '0001999001-25-000005.txt',
    submissionText({
      accession: '0001999001-25-000005',
      formType: '4/A',
      acceptedAt: '20250320120000',
      dateOfOriginalSubmission: '2025-03-14',
      owners: [{ cik: '0000000007', ...group }],
      rows: [{ shares: '77' }],
    }),
  ],
] as const

/** Steps from one kill to the next. */
const STRIDE = volume('kills after every nth step', 9, 1)

const FILL_STRIDE = volume('kills of a filling after every nth step', 97, 11)

describe('ingestion killed between any two steps', () => {
  const folder = mkdtempSync(join(tmpdir(), 'test-killed-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const paths = documents.map(([name, text]) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  })

  // A data directory of its own: the engine of the tests' process has theirs open.
  const ownStores = async (name: string) => {
    const [{ databaseUrl }, { url, database }] = [await stores(), await ownClickHouse()]
    const clickHouse = { database, ...(url === null ? { path: join(folder, name) } : { url }) }
    return { databaseUrl, clickHouse, historyDir: join(folder, `${name}-history`) }
  }

  it('ends in what an undisturbed run gives', async () => {
    // In two goes, so that the second projection changes rows that the first wrote.
    const goes = [paths.slice(0, 4), paths]
    const [calm, killed] = [await ownStores('calm'), await ownStores('killed')]
    let kills = 0
    for (const go of goes) {
      const expected = await run({ ...calm, documents: go, kill: null })
      let last: KillOutcome | null = null
      for (const phase of ['record', 'project'] as const) {
        for (let after = 1; ; after += STRIDE) {
          last = await run({ ...killed, documents: go, kill: { phase, after } })
          if (last) break
          kills += 1
        }
      }
      assert.deepEqual(last!.dump, expected!.dump)
      assert.lengthOf(expected!.dump.signals!, 1)
    }
    console.log(`      ${kills} kills`)
    assert.isAtLeast(kills, 20 / STRIDE)
  }).timeout(600_000)

  it('while ClickHouse is filled again ends in what an undisturbed run gives, with what was filed meanwhile', async () => {
    const [calm, killed] = [await ownStores('calm-fill'), await ownStores('killed-fill')]
    for (const each of [calm, killed]) await run({ ...each, documents: paths.slice(0, 4), kill: null })
    const filling = { documents: paths, fills: true }
    const expected = await run({ ...calm, ...filling, kill: null })
    let last: KillOutcome | null = null
    let kills = -1
    for (let after = 5; last === null; after += FILL_STRIDE) {
      last = await run({ ...killed, ...filling, kill: { phase: 'fill', after } })
      kills += 1
    }
    assert.deepEqual(last.dump, expected!.dump)
    assert.lengthOf(expected!.dump.signals!, 1)
    console.log(`      ${kills} kills in ${expected!.steps.fill} steps`)
    assert.isAtLeast(kills, 3)
  }).timeout(1_200_000)
})
