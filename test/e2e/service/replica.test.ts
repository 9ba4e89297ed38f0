// Copies that follow the log of changes hold exactly what the API lists, whatever is killed while they are made: the
// service at random, and exactly between its write to ClickHouse and its mark in PostgreSQL. REPLICA_KILLS says how
// often; the nightly run also crashes PostgreSQL and restores a backup.
import { assert } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createContainer } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { freePort } from '../../../src/infrastructure/embedded/ports.ts'
import { openPool, rows, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import { correctedFilings } from '../../support/edgar/invented/corrected-filings.ts'
import { listedContents, Replica } from '../../support/http/replica.ts'
import { roleProcesses, type RoleProcess, type RoleProcesses } from '../../support/service/role-process.ts'
import { startProxy, type Proxy } from '../../support/stores/proxy.ts'
import { stores } from '../../support/stores/stores.ts'
import { volume } from '../../support/volume.ts'

const KILLS = Number(process.env.FAULT_KILLS ?? volume('kills while copies are made', 3, 20))
const SEED = Number(process.env.REPLICA_SEED ?? 1)
const FILINGS_A_KILL = 10

/** What marks filings as projected, and signals as detected, when ClickHouse has their rows. */
const MARKS = ['SET pending = false', 'DELETE FROM signal_queue']

describe('copies made by the log of changes', function () {
  this.timeout(120_000 + KILLS * 20_000)
  const folder = mkdtempSync(join(tmpdir(), 'test-replica-'))
  let databaseUrl: string
  let redisUrl: string
  let proxy: Proxy
  let pool: Pool
  let port: number
  let processes: RoleProcesses
  let service: RoleProcess
  const replicas: Replica[] = []
  const filings = correctedFilings(SEED)

  before(async () => {
    ;({ databaseUrl, redisUrl } = await stores())
    proxy = await startProxy(Number(new URL(databaseUrl).port))
    pool = openPool({ url: databaseUrl, name: 'test', max: 2 })
    port = await freePort()
    const through = new URL(databaseUrl)
    through.port = String(proxy.port)
    processes = roleProcesses({ DATABASE_URL: through.href, REDIS_URL: redisUrl, PORT: String(port) })
    service = await start()
  })
  after(async () => {
    await Promise.all(replicas.map((replica) => replica.close()))
    await processes?.close()
    await proxy?.close()
    await pool?.end()
    rmSync(folder, { recursive: true, force: true })
  })

  const start = () => processes.start('api,ingest,deliver', { DATA_DIR: join(folder, 'data') })
  const follow = (by: 'pages' | 'stream') =>
    replicas.push(new Replica({ address: () => service.address, seed: SEED * 100 + replicas.length, by }))
  const record = async (count: number) => {
    await createContainer({ pool }).get(TYPES.recordFilings)(filings(count))
  }
  const kill = async () => {
    service.signal('SIGKILL')
    await service.exited
    service = await start()
  }

  /** Waits for what the service is to do; rejects if it ends before. */
  const whileUp = (work: Promise<void>) =>
    Promise.race([
      work,
      service.exited.then(() => assert.fail(JSON.stringify(service.log.slice(-3)))),
      sleep(60_000, undefined, { ref: false }).then(() => assert.fail(JSON.stringify(service.log.slice(-3)))),
    ])

  /** Waits until nothing is to be done, then for the copies; each must be what the API lists. */
  async function expectCopies(): Promise<void> {
    for (const end = performance.now() + 60_000; ; await sleep(50)) {
      const [open] = await rows<{ n: number }>(
        pool,
        'SELECT (SELECT count(*) FROM filings WHERE pending) + (SELECT count(*) FROM signal_queue) AS n',
      )
      if (open!.n === 0) break
      assert.isBelow(performance.now(), end, `${open!.n} filings and issuers are left`)
    }
    const [{ last } = { last: 0 }] = await rows<{ last: number }>(pool, 'SELECT last FROM change_position')
    for (const replica of replicas) await replica.reached(last)
    const listed = await listedContents(service.address)
    assert.isNotEmpty(listed.transactions)
    assert.isNotEmpty(listed.signals)
    for (const replica of replicas) assert.deepEqual(replica.contents(), listed)
  }

  it(`are what the API lists, after ${KILLS} kills`, async () => {
    follow('pages')
    follow('stream')
    for (let number = 0; number < KILLS; number += 1) {
      const mark = MARKS[number % (MARKS.length + 1)]
      if (mark) {
        const caught = proxy.caught(mark)
        await record(FILINGS_A_KILL)
        await whileUp(caught)
      } else {
        await record(FILINGS_A_KILL)
        await sleep(Math.random() * 1_500)
      }
      await kill()
      if (number % 5 === 1) follow(number % 2 === 0 ? 'pages' : 'stream')
      if (number % 10 === 2) await expectCopies()
    }
    await record(FILINGS_A_KILL)
    await expectCopies()
    const counts = replicas.map((replica) => Object.values(replica.counts).join('/'))
    process.stdout.write(`      loads/changes/fetched again/cuts: ${counts.join(', ')}\n`)
  })
})
