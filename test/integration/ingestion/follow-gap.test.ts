// A reading of the current feed that breaks off after its first page leaves a gap below filings that are known by then:
// the next reading, in this process or after a restart, must close it.
import { assert } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectEdgar } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { EdgarClient } from '../../../src/infrastructure/edgar/client/client.ts'
import { inventedFiling } from '../../support/edgar/invented/filings.ts'
import { startSimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { testService } from '../../support/service/service.ts'

describe('the current feed', function () {
  this.timeout(120_000)

  it('leaves no gap where reading it broke off, and is then read only as far as needed', async () => {
    const edgar = await startSimulatedEdgar({ seed: 3 })
    const service = await testService()
    try {
      connectEdgar(
        service.container,
        new EdgarClient({ baseUrl: edgar.url, userAgent: 'Example Tests tests@example.com' }),
        0.3,
      )
      const begun = edgar.clock.now()
      const published: string[] = []
      const publish = (count: number) => {
        for (let each = 0; each < count; each += 1) {
          const filing = inventedFiling(published.length + 1, {
            seed: 3,
            acceptedAt: (number) => begun - 500_000 + number * 1000,
          })
          edgar.publish(filing.text)
          published.push(filing.accession)
        }
      }
      const known = async () =>
        (await service.pool.query('SELECT accession FROM fetches')).rows.map((row) => row.accession as string)
      /** The newest filing of the last complete reading; null before there was one. */
      const position = async () => {
        const { rows } = await service.pool.query(`SELECT position FROM source_positions WHERE source = 'current-feed'`)
        return (rows[0]?.position ?? null) as string | null
      }
      /** Reads until it is enough, or to the first problem. */
      const read = async (enough: (() => Promise<boolean>) | 'problem') => {
        const problems: string[] = []
        const stop = new AbortController()
        const report = {
          found: () => {},
          recorded: () => {},
          problem: (_: string, reason: string) => {
            problems.push(reason)
            if (enough === 'problem') stop.abort()
          },
        }
        const watching = service.container.get(TYPES.followEdgar).watch(stop.signal, report)
        while (!stop.signal.aborted && (enough === 'problem' || !(await enough()))) await sleep(50)
        stop.abort()
        await watching
        return problems
      }
      publish(5)
      await read(async () => (await position()) !== null)
      const reached = await position()
      publish(150)
      edgar.faults.next('unavailable', 1, { of: /start=100\b/ })
      const problems = await read('problem')
      assert.include(problems.join(), '503', 'the second page was refused')
      assert.isBelow((await known()).length, published.length)
      await read(async () => (await known()).length === published.length)
      assert.deepEqual((await known()).toSorted(), published.toSorted())
      // Read to its end once, one page tells that nothing is new.
      await read(async () => (await position()) !== reached)
      const before = edgar.requests().length
      await read(async () => edgar.requests().length >= before + 2)
      assert.deepEqual(
        edgar
          .requests()
          .slice(before)
          .filter((request) => /start=[1-9]/.test(request.path)),
        [],
      )
    } finally {
      await service.close()
      await edgar.close()
    }
  })
})
