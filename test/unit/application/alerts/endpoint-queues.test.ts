import { expect } from 'chai'
import { makeEndpointQueues, type EndpointQueues } from '../../../../src/application/alerts/endpoint-queues.ts'
import { coalesce } from '../../../../src/application/shared/batcher.ts'

describe('the queues of deliveries', () => {
  let queues: EndpointQueues
  const put = (endpoint: string, ...ids: string[]) =>
    ids.map((deliveryId) => queues.add({ deliveryId, endpoint, entry: `e${deliveryId}` }))
  const taken = (most: number) => queues.next(most).map(({ deliveryId }) => deliveryId)

  beforeEach(() => {
    queues = makeEndpointQueues({ all: 12, perEndpoint: 6, atOnce: 2 })
  })

  it('take turns, so that a long one keeps no other waiting', () => {
    put('a', 'a1', 'a2', 'a3', 'a4')
    put('b', 'b1', 'b2')
    put('c', 'c1')
    expect(taken(4)).deep.equal(['a1', 'b1', 'c1', 'a2'])
    expect(taken(10)).deep.equal(['b2'])
  })

  it('give no more of an address than may be under way, and the next as one ends', () => {
    put('a', 'a1', 'a2', 'a3')
    const [first] = queues.next(10)
    expect(taken(10)).deep.equal([])
    queues.ended(first!)
    expect(taken(10)).deep.equal(['a3'])
  })

  it('know a delivery until it is forgotten, also while it is under way', () => {
    expect(put('a', 'a1')).deep.equal([true])
    const [queued] = queues.next(1)
    expect(queues.add({ deliveryId: 'a1', endpoint: 'a', entry: 'another' })).equal(false)
    expect(queues.add({ deliveryId: 'a1', endpoint: 'a', entry: 'ea1' })).equal(true)
    queues.ended(queued!)
    expect([queues.size(), taken(10)]).deep.equal([1, []])
    queues.forget(queued!)
    expect([put('a', 'a1'), taken(10)]).deep.equal([[true], ['a1']])
  })

  it('take no more than there is room for, in one queue and in all', () => {
    expect(put('a', '1', '2', '3', '4', '5', '6', '7')).deep.equal([true, true, true, true, true, true, false])
    put('b', '8', '9', '10', '11')
    expect(queues.room()).equal(2)
    expect(put('c', '12', '13', '14')).deep.equal([true, true, false])
    expect([queues.room(), queues.size()]).deep.equal([0, 12])
  })

  it('stand still while paused, and give what waits back when drained', () => {
    put('a', 'a1', 'a2', 'a3')
    put('b', 'b1')
    const [queued] = queues.next(1)
    queues.pause('a')
    queues.ended(queued!)
    expect(taken(10)).deep.equal(['b1'])
    expect(queues.drain('a').map(({ deliveryId, entries }) => [deliveryId, entries])).deep.equal([
      ['a2', ['ea2']],
      ['a3', ['ea3']],
    ])
    expect(put('a', 'a2')).deep.equal([true])
    expect(taken(10)).deep.equal(['a2'])
  })

  it('put back what could not be taken, before the rest and in its order', () => {
    put('a', 'a1', 'a2', 'a3')
    queues.requeue(queues.next(2))
    expect(taken(2)).deep.equal(['a1', 'a2'])
  })

  it('are drained all at once, of what is not under way', () => {
    put('a', 'a1', 'a2', 'a3')
    put('b', 'b1')
    queues.next(1)
    expect(queues.drain().map(({ deliveryId }) => deliveryId)).members(['a2', 'a3', 'b1'])
    expect(queues.size()).equal(1)
  })
})

describe('work in batches', () => {
  it('does the first at once, and together what came meanwhile', async () => {
    const batches: number[][] = []
    const ends: (() => void)[] = []
    const work = coalesce<number>((items) => {
      batches.push(items)
      return new Promise((resolve) => {
        ends.push(resolve)
      })
    })
    work.add(1)
    expect(batches).deep.equal([[1]])
    work.add(2)
    work.add(3, 4)
    expect(batches).lengthOf(1)
    ends[0]!()
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    expect(batches).deep.equal([[1], [2, 3, 4]])
    const idle = work.idle()
    ends[1]!()
    await idle
    work.add()
    work.add(5)
    expect(batches).deep.equal([[1], [2, 3, 4], [5]])
  })
})
