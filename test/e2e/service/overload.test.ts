// A service that many callers ask expensive questions at once: cheap questions are answered, each with its own answer.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { writeInventedDataSet } from '../../support/edgar/invented/data-set.ts'
import { call } from '../../support/http/contract-client.ts'
import { stackOfTest } from '../../support/make.ts'
import { nightly } from '../../support/volume.ts'

const ROWS = 120_000
/** More than the engine can answer within the deadline, so that statements are refused, and some run out of time. */
const CALLERS = 56
const SECONDS = 60

describe('a service under more expensive questions than it can answer', function () {
  this.timeout(900_000)

  nightly('answers cheap questions as ever, and refuses the others with Retry-After', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'overload-'))
    const stack = await stackOfTest()
    try {
      await writeInventedDataSet({ folder, quarter: '2026q2', rows: ROWS, issuers: 8_000, seed: 1, skew: 1.7 })
      await stack.make('up', { CACHE_MEMORY: 0 })
      assert.strictEqual((await stack.make('backfill', { SETS: folder })).status, 0)
      const ask = (path: string) => call(stack.address, 'GET', path)
      const { transactions } = (await ask('/v1/feed?limit=100&detail=full')).body.data
      const distinct = (name: string) => [
        ...new Set<string>(transactions.map((each: any) => each[name]).filter(Boolean)),
      ]
      const tickers = distinct('ticker')
      const cheap = [
        ...tickers.slice(0, 20).flatMap((each) => [`/v1/companies/${each}`, `/v1/feed?tickers=${each}`]),
        ...distinct('insiderCik')
          .slice(0, 20)
          .map((each) => `/v1/insiders/${each}`),
      ]
      const right = new Map<string, unknown>()
      for (const path of cheap) right.set(path, (await ask(path)).body)
      const fifty = tickers.slice(0, 50).join()
      const expensive = (number: number) => [
        `/v1/feed?sort=holdingChange&limit=100&minShares=${number}`,
        `/v1/feed?sort=value&limit=100&minShares=${number}`,
        `/v1/feed?sort=value&limit=100&tickers=${fifty}&minShares=${number}`,
      ]

      const end = Date.now() + SECONDS * 1_000
      const [pressed, asked]: [number[], number[]] = [[], []]
      const press = async (caller: number) => {
        for (let number = 0; Date.now() < end; number += CALLERS) {
          const { status, headers } = await ask(expensive(1 + caller + number)[caller % 3]!)
          pressed.push(status)
          if (status === 503) assert.isAtLeast(Number(headers['retry-after']), 1)
          if (status === 503) await sleep(100)
        }
      }
      const look = async (first: number) => {
        for (let number = first; Date.now() < end; number += 2) {
          const path = cheap[number % cheap.length]!
          const { status, body } = await ask(path)
          asked.push(status)
          if (status === 200) assert.deepEqual(body, right.get(path), path)
        }
      }
      await Promise.all([...Array.from({ length: CALLERS }, (_, caller) => press(caller)), look(0), look(1)])

      assert.sameMembers([...new Set(pressed)], [200, 503])
      assert.isAtLeast(asked.filter((status) => status === 200).length / asked.length, 0.99)
      const metrics = String((await ask('/metrics')).body)
      assert.match(metrics, /^clickhouse_bad_answers_total 0$/m)
    } finally {
      await stack.remove()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
