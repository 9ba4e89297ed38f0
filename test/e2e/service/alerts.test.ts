// From filings at a simulated EDGAR to webhooks received, by commands and HTTP only: nothing is lost however often the
// service, Redis or PostgreSQL is killed. FAULT_KILLS sets how often (make test-faults: 200), ALERT_KEYS how many keys
// watch all companies.
import { assert } from 'chai'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { followedStack, type FollowedStack } from '../../support/edgar/checks/followed-stack.ts'
import {
  allDelivered,
  expectRuled,
  expectTold,
  ruleEverything,
  watchEverything,
  type IssuedToWatcher,
  type Watcher,
} from '../../support/edgar/checks/watchers.ts'
import { startReceiver, type Receiver } from '../../support/webhooks/receiver.ts'
import { volume } from '../../support/volume.ts'
import { findStores } from '../../../src/infrastructure/embedded/stores.ts'
import { redisOptions } from '../../../src/infrastructure/redis/client.ts'
import { redisUrlOf } from '../../support/stores/embedded.ts'

const KILLS = Number(process.env.FAULT_KILLS ?? volume('kills while alerts are delivered', 1, 3))
const KEYS = Number(process.env.ALERT_KEYS ?? 2)
const ALLOWED = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOW_HOSTS: '127.0.0.1' }

describe('alerts, from filing to receipt', function () {
  this.timeout(240_000 + KILLS * 15_000)
  let followed: FollowedStack
  let receiver: Receiver
  const watchers: Watcher[] = []
  let rules: Awaited<ReturnType<typeof ruleEverything>>

  before(async () => {
    receiver = await startReceiver()
    followed = await followedStack({ seed: 23 }, ALLOWED)
    await followed.up()
    for (let number = 0; number < KEYS; number += 1) watchers.push(await newWatcher(`watcher ${number}`))
    const { json } = await followed.stack.make('key', { NAME: 'rules' })
    rules = await ruleEverything(followed.address, receiver, json as IssuedToWatcher)
  })
  after(async () => {
    await followed?.close()
    await receiver?.close()
  })

  async function newWatcher(name: string): Promise<Watcher> {
    const { json, stderr } = await followed.stack.make('key', { NAME: name.replaceAll(' ', '-') })
    assert.strictEqual(json?.ok, true, stderr)
    return watchEverything(followed.address, receiver, json as IssuedToWatcher)
  }

  const at = (path: string) => receiver.receipts.filter((receipt) => receipt.path === path)
  const delivered = (seconds: number) => allDelivered(followed, seconds)
  const expectAllTold = async () => {
    const ruled = await expectRuled(followed.address, receiver, rules, watchers[0]!)
    return { ruled, ...(await expectTold(followed, receiver, watchers)) }
  }

  it('arrive once each on a calm day', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      followed.publish(6)
      await sleep(300)
    }
    await followed.settled(60)
    await delivered(60)
    const { alerts, ruled, duplicates } = await expectAllTold()
    assert.isAbove(alerts, 20)
    assert.isAbove(ruled, 20)
    assert.strictEqual(duplicates, 0)
  })

  it(`are all received, killed ${KILLS} times`, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      for (let turn = 0; turn < 3; turn += 1) {
        followed.publish(2)
        await sleep(Math.random() * 700)
      }
      await followed.kill()
      await followed.up()
    }
    await followed.settled(120)
    await delivered(180)
    const { alerts, duplicates } = await expectAllTold()
    process.stdout.write(
      `      ${KILLS} kills, ${alerts} alerts, 0 lost, ${duplicates} received twice under the same id\n`,
    )
  })

  it('are all received, though Redis is killed, flushed and gone for a while', async () => {
    const { redis } = await findStores(followed.stack.dataDir)
    const client = createClient(redisOptions(redisUrlOf(followed.stack.dataDir)))
    await client.connect()
    for (let turn = 0; turn < 5; turn += 1) {
      followed.publish(2)
      await sleep(300)
      await client.flushAll()
    }
    client.on('error', () => {})
    client.destroy()
    followed.publish(4)
    process.kill(redis!.pid, 'SIGKILL')
    followed.publish(4)
    await sleep(KILLS > 3 ? 60_000 : 3_000)
    await followed.settled(60)
    // Starts what is missing and leaves the service as it is.
    await followed.up()
    followed.publish(4)
    await followed.settled(60)
    await delivered(60)
    await expectAllTold()
  })

  it('are all received, though PostgreSQL is killed and its connections are cut', async () => {
    const pid = () => Number(readFileSync(join(followed.stack.dataDir, 'service.pid'), 'utf8'))
    const service = pid()
    followed.publish(4)
    await sleep(500)
    await followed.query(
      `SELECT pg_terminate_backend(pid)
       FROM pg_stat_activity
       WHERE pid <> pg_backend_pid()
         AND backend_type = 'client backend'`,
    )
    followed.publish(4)
    await sleep(500)
    process.kill(
      Number(readFileSync(join(followed.stack.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]),
      'SIGKILL',
    )
    followed.publish(4)
    await sleep(1_000)
    await followed.up()
    await followed.settled(120)
    await delivered(120)
    assert.strictEqual(pid(), service, 'the service went on')
    await expectAllTold()
  })

  it('are signed with both secrets while one takes the place of the other', async () => {
    const { id, path } = watchers[0]!
    const { json } = await followed.stack.make('rotate-secret', { ID: id })
    receiver.secrets.set(path, [receiver.secrets.get(path)![0]!, json!.webhookSecret])
    followed.publish(8)
    await followed.settled(60)
    await delivered(60)
    await expectAllTold()
  })

  it('are tried again for a receiver that failed, and can be listed, shown, sent again and tested', async () => {
    const { id, path } = watchers[0]!
    let refusals = 2
    receiver.answer = (receipt, response) => {
      if (receipt.path === path && refusals-- > 0) response.writeHead(500).end('not now')
      else response.writeHead(204).end()
    }
    const { json: tested } = await followed.stack.make('test-event', { KEY_ID: id })
    assert.deepInclude(tested!.attempts[0], { delivered: false })
    assert.match(tested!.attempts[0].outcome, /^500 after/)
    const { json: shown } = await followed.stack.make('delivery', { ID: tested!.deliveries[0] })
    assert.deepInclude(shown!.delivery.attemptsMade[0], { number: 1, status: 500, answer: 'not now' })
    const { json: again } = await followed.stack.make('resend', { ID: tested!.deliveries[0] })
    assert.strictEqual(again!.ok, true)
    await delivered(60)
    const tries = at(path).filter(({ json }) => json.type === 'test')
    assert.strictEqual(new Set(tries.map((receipt) => receipt.id)).size, 1)
    assert.strictEqual(tries.length, 3)
    const { json: list } = await followed.stack.make('deliveries', { KEY_ID: id, STATUS: 'delivered', LIMIT: 1 })
    assert.deepInclude(list!.deliveries[0], { id: tested!.deliveries[0], status: 'delivered' })
    assert.deepEqual(receiver.badlySigned, [])
  })

  it('die at an address that answers 410, and are replayed when it is back', async () => {
    const { id, path } = watchers[0]!
    receiver.answer = (receipt, response) => void response.writeHead(receipt.path === path ? 410 : 204).end()
    followed.publish(10)
    await followed.settled(60)
    await delivered(60)
    const { json: dead } = await followed.stack.make('deliveries', { KEY_ID: id, STATUS: 'dead' })
    assert.isAbove(dead!.deliveries.length, 0)
    assert.deepInclude((await followed.stack.make('addresses')).json!.addresses[0], { keyId: id })
    assert.match(
      await (await fetch(`${followed.stack.address}/metrics`)).text(),
      /^webhook_addresses\{state="disabled"\} 1$/m,
    )
    receiver.answer = null
    const { json: replayed } = await followed.stack.make('replay', { SINCE: '1h' })
    assert.strictEqual(replayed!.replayed, dead!.deliveries.length)
    await delivered(60)
    const received = new Set(at(path).map((receipt) => receipt.id))
    assert.deepEqual(
      dead!.deliveries.filter((delivery: { id: string }) => !received.has(delivery.id)),
      [],
    )
  })
})
