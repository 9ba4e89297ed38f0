// What the service answers about the same filings, held to a recording, in each order in which documents and data sets
// can come. UPDATE_GOLDEN=1 records; EVIDENCE_DIR names the folder of the answers of a run before, for the comparison row
// by row, and of those that this run leaves there.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { assert } from 'chai'
import { answersOf, readAnswers, type Answer, type Answers } from '../support/evidence/answers.ts'
import { differences, recordedOf, unlikeRecorded, type Recorded } from '../support/evidence/compare.ts'
import { loadedService, ORDERS, type Order } from '../support/evidence/loading.ts'
import {
  digestOf,
  haveRealDocuments,
  inventedMaterial,
  realMaterial,
  togetherMaterial,
  type InventedVolume,
  type Material,
} from '../support/evidence/material.ts'
import { NOT_ASKED, type Extent } from '../support/evidence/questions.ts'
import { contract } from '../support/http/contract-client.ts'
import { volume } from '../support/volume.ts'

const RECORDS = process.env.UPDATE_GOLDEN === '1'
const FOLDER = process.env.EVIDENCE_DIR || join(tmpdir(), 'insider-evidence')

const SMALL: InventedVolume = {
  quarters: ['2023q4', '2024q1', '2024q2'],
  ...{ rows: 200, issuers: 24, skew: 2, tangled: 48, world: 30, until: '20240630' },
}
/** One of 300 issuers has six tenths of all rows. */
const LARGE: InventedVolume = {
  quarters: ['2022q4', '2023q1', '2023q2', '2023q3', '2023q4', '2024q1', '2024q2', '2024q3'],
  ...{ rows: 10_500, issuers: 300, skew: 11, tangled: 120, world: 60, until: '20251231' },
}
const isLong = volume('quarters whose answers are as recorded', 3, 8) === 8

const SOME: Extent = {
  ...{ issuers: 8, insiders: 14, filings: 60, signals: 60, notices: 8 },
  ...{ areFiltersDated: false, pages: Infinity },
}
const MOST: Extent = {
  ...{ issuers: 500, insiders: 1_000, filings: 1_000, signals: 1_000, notices: 500 },
  ...{ areFiltersDated: true, pages: Infinity },
}
const OF_MANY_ROWS: Extent = { ...SOME, issuers: 20, insiders: 40, filings: 500, signals: 500, pages: 20 }

interface Case {
  name: string
  orders: readonly Order[]
  extent: Extent
  /** Of the questions to a service that was loaded in another order than the first, one of so many is asked. */
  every: number
  isThere?: boolean
  material: () => Material | Promise<Material>
}

const DAILY: Case[] = [
  {
    name: 'invented quarters',
    ...{ orders: ['data sets first', 'interleaved'], extent: SOME, every: 2 },
    material: () => inventedMaterial(SMALL),
  },
]
const NIGHTLY: Case[] = [
  {
    name: 'invented quarters',
    ...{ orders: ORDERS, extent: MOST, every: 1 },
    material: () => inventedMaterial(SMALL),
  },
  {
    name: 'real documents',
    ...{ orders: ['documents first'], extent: MOST, every: 1, isThere: haveRealDocuments },
    material: realMaterial,
  },
  {
    name: 'real documents and invented quarters',
    ...{ orders: ORDERS, extent: MOST, every: 2, isThere: haveRealDocuments },
    material: async () => togetherMaterial(realMaterial(), await inventedMaterial(SMALL)),
  },
  {
    name: 'invented quarters of many rows',
    ...{ orders: ['data sets first', 'interleaved'], extent: OF_MANY_ROWS, every: 2 },
    material: () => inventedMaterial(LARGE),
  },
]

/** Each hash stands for answers, of which nothing can be read. */
interface Recording {
  /** Of all that is loaded and asked as of. */
  material: string
  /** In every order. */
  answers: Recorded
  /** What tells of the order itself: what a load of a quarter found there already, and the log of changes. */
  orders: Record<string, Recorded>
}

const ofTheOrder = ({ operation }: Answer): boolean => operation === 'listChanges' || operation === 'backfill'
const only = (answers: Answers, isTaken: (answer: Answer) => boolean): Answers => ({
  ...answers,
  all: answers.all.filter(isTaken),
})

const GOLDEN = join(import.meta.dirname, `../fixtures/golden/evidence-${isLong ? 'nightly' : 'daily'}.json`)
const golden = existsSync(GOLDEN) ? (JSON.parse(readFileSync(GOLDEN, 'utf8')) as Record<string, Recording>) : {}

describe('answers about the same filings', function () {
  this.timeout(isLong ? 7_200_000 : 300_000)
  const temporary = mkdtempSync(join(tmpdir(), 'test-evidence-'))
  after(() => rmSync(temporary, { recursive: true }))

  for (const { name, orders, extent, every, isThere = true, material } of isLong ? NIGHTLY : DAILY)
    describe(`${name}${whySkipped(name, isThere)}`, () => {
      let loaded: Material
      /** In the first of the orders. */
      let first: Answers | undefined
      before(async function () {
        if (whySkipped(name, isThere) !== '') return this.skip()
        loaded = await material()
        if (RECORDS) golden[name] = { material: digestOf(loaded), answers: {}, orders: {} }
        assert.strictEqual(
          golden[name]?.material,
          digestOf(loaded),
          'other filings are loaded than when it was recorded: UPDATE_GOLDEN=1 records',
        )
      })

      for (const order of orders)
        it(`are those recorded: ${order}`, async () => {
          const part = join(isLong ? 'nightly' : 'daily', name, order)
          const service = await loadedService(loaded, order)
          const asked = { extent, every: first ? every : 1 }
          const answers = await answersOf(service, loaded, join(temporary, part), asked).finally(() => service.close())
          const known = golden[name]!
          if (RECORDS) {
            if (!first) known.answers = recordedOf(only(answers, (answer) => !ofTheOrder(answer)))
            known.orders[order] = recordedOf(only(answers, ofTheOrder))
          }
          // Of another order not everything need be asked: it is compared with the first.
          const unlike = unlikeRecorded(
            first ? only(answers, ofTheOrder) : answers,
            first ? known.orders[order]! : { ...known.answers, ...known.orders[order] },
          )
          const asksToo = new Set(answers.all.map(({ path }) => path))
          const isCommon = (answer: Answer) => !ofTheOrder(answer) && asksToo.has(answer.path)
          const unlikeFirst = first ? differences(first, answers, isCommon) : ''
          first ??= answers
          if (unlike === '' && unlikeFirst === '') {
            if (RECORDS) writeFileSync(GOLDEN, `${JSON.stringify(golden, null, 2)}\n`)
            if (RECORDS || process.env.EVIDENCE_DIR) keep(answers, join(FOLDER, 'recorded', part))
            return
          }
          keep(answers, join(FOLDER, 'differing', part))
          assert.fail(report(answers, part, unlike, unlikeFirst))
        })
    })

  describe('as a whole', () => {
    it('are asked of each operation that reads what is derived from filings', function () {
      if (Object.keys(golden).length === 0) this.skip()
      const operations = Object.values<Record<string, any>>(contract.paths).map(({ get }) => get?.operationId)
      const recorded = Object.values(golden).flatMap(({ answers, orders }) =>
        [answers, ...Object.values(orders)].flatMap((each) => Object.keys(each)),
      )
      const asked = new Set(recorded.map((group) => group.split(' ')[0]))
      assert.deepEqual(
        operations.filter((id) => id !== undefined && !asked.has(id) && !(id in NOT_ASKED)),
        [],
      )
    })
  })
})

/** Returns why a case can't run, as the end of its title. */
function whySkipped(name: string, isThere: boolean): string {
  if (!isThere) return ' (skipped: ../shared is not here)'
  return RECORDS || golden[name] ? '' : ' (skipped: not recorded yet, which UPDATE_GOLDEN=1 does)'
}

function keep({ folder }: Answers, into: string): void {
  rmSync(into, { recursive: true, force: true })
  mkdirSync(dirname(into), { recursive: true })
  cpSync(folder, into, { recursive: true })
}

function report(answers: Answers, part: string, unlike: string, unlikeFirst: string): string {
  const before = join(FOLDER, 'recorded', part)
  return [
    ...(unlike === '' ? [] : ['', unlike]),
    ...(unlikeFirst === '' ? [] : ['Other answers than in the first order:', unlikeFirst]),
    existsSync(before)
      ? `By row, beside the answers in ${before}:\n${differences(readAnswers(before), answers)}`
      : `No answers lie in ${before}: a run of the former code with EVIDENCE_DIR=${FOLDER} leaves them there.`,
    `The answers of this run are in ${join(FOLDER, 'differing', part)}.`,
  ].join('\n')
}
