// Endpoint queues: the order in which deliveries leave memory, and how many are in flight to one address.
import { assert } from 'chai'
import { EndpointQueues } from '../../../../src/application/alerts/endpoint-queues.ts'
import { coalesce } from '../../../../src/application/shared/batcher.ts'

describe('the queues of deliveries', () => {
  let queues: EndpointQueues
  const put = (endpoint: string, ...ids: string[]) =>
    ids.map((deliveryId) => queues.add({ deliveryId, endpoint, entry: `e${deliveryId}` }))
  const taken = (most: number) => queues.next(most).map(({ deliveryId }) => deliveryId)

  beforeEach(() => {
    queues = new EndpointQueues({ all: 12, perEndpoint: 6, atOnce: 2 })
  })

  it('take turns, so that a long queue delays no other', () => {
    put('a', 'a1', 'a2', 'a3', 'a4')
    put('b', 'b1', 'b2')
    put('c', 'c1')
    assert.deepEqual(taken(4), ['a1', 'b1', 'c1', 'a2'])
    assert.deepEqual(taken(10), ['b2'])
  })

  it('limit the deliveries in flight to an address, and give the next when one ends', () => {
    put('a', 'a1', 'a2', 'a3')
    const [first] = queues.next(10)
    assert.deepEqual(taken(10), [])
    queues.ended(first!)
    assert.deepEqual(taken(10), ['a3'])
  })

  it('do not add a delivery twice until it is forgotten, even while it is in flight', () => {
    assert.deepEqual(put('a', 'a1'), [true])
    const [queued] = queues.next(1)
    assert.strictEqual(queues.add({ deliveryId: 'a1', endpoint: 'a', entry: 'another' }), false)
    assert.strictEqual(queues.add({ deliveryId: 'a1', endpoint: 'a', entry: 'ea1' }), true)
    queues.ended(queued!)
    assert.deepEqual([queues.size(), taken(10)], [1, []])
    queues.forget(queued!)
    assert.deepEqual([put('a', 'a1'), taken(10)], [[true], ['a1']])
  })

  it('accept no more than fits, per queue and in total', () => {
    assert.deepEqual(put('a', '1', '2', '3', '4', '5', '6', '7'), [true, true, true, true, true, true, false])
    put('b', '8', '9', '10', '11')
    assert.strictEqual(queues.room(), 2)
    assert.deepEqual(put('c', '12', '13', '14'), [true, true, false])
    assert.deepEqual([queues.room(), queues.size()], [0, 12])
  })

  it('give nothing while paused, and return waiting deliveries when drained', () => {
    put('a', 'a1', 'a2', 'a3')
    put('b', 'b1')
    const [queued] = queues.next(1)
    queues.pause('a')
    queues.ended(queued!)
    assert.deepEqual(taken(10), ['b1'])
    assert.deepEqual(
      queues.drain('a').map(({ deliveryId, entries }) => [deliveryId, entries]),
      [
        ['a2', ['ea2']],
        ['a3', ['ea3']],
      ],
    )
    assert.deepEqual(put('a', 'a2'), [true])
    assert.deepEqual(taken(10), ['a2'])
  })

  it('requeue deliveries before the others, in their order', () => {
    put('a', 'a1', 'a2', 'a3')
    queues.requeue(queues.next(2))
    assert.deepEqual(taken(2), ['a1', 'a2'])
  })

  it('can all be drained at once, except deliveries in flight', () => {
    put('a', 'a1', 'a2', 'a3')
    put('b', 'b1')
    queues.next(1)
    assert.sameMembers(
      queues.drain().map(({ deliveryId }) => deliveryId),
      ['a2', 'a3', 'b1'],
    )
    assert.strictEqual(queues.size(), 1)
  })
})

describe('the batcher', () => {
  it('runs the first batch at once, and the next with all that was added meanwhile', async () => {
    const batches: number[][] = []
    const ends: (() => void)[] = []
    const work = coalesce<number>((items) => {
      batches.push(items)
      return new Promise((resolve) => {
        ends.push(resolve)
      })
    })
    work.add(1)
    assert.deepEqual(batches, [[1]])
    work.add(2)
    work.add(3, 4)
    assert.lengthOf(batches, 1)
    ends[0]!()
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    assert.deepEqual(batches, [[1], [2, 3, 4]])
    const idle = work.idle()
    ends[1]!()
    await idle
    work.add()
    work.add(5)
    assert.deepEqual(batches, [[1], [2, 3, 4], [5]])
  })
})
