// A fake PostgreSQL server must never receive the password, whatever it requests.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { tryAcquire } from '../../../src/infrastructure/postgres/coordination/leader-lock.ts'
import { openPool, rows } from '../../../src/infrastructure/postgres/pool.ts'
import { freePort } from '../../support/ports.ts'

const PASSWORD = 'hunter2hunter2'
const request = (kind: number, ...more: number[]) =>
  Buffer.from([0x52, 0, 0, 0, 8 + more.length, 0, 0, 0, kind, ...more])
const CLEAR_TEXT = request(3)
const MD5 = request(5, 1, 2, 3, 4)
const ADMITTED = Buffer.concat([request(0), Buffer.from([0x5a, 0, 0, 0, 5, 0x49])])

describe("a listener in PostgreSQL's place", () => {
  const folder = mkdtempSync(join(tmpdir(), 'insider-listener-'))
  let server: Server
  let sockets: Socket[] = []
  let received = Buffer.alloc(0)
  let answers: Buffer[]
  let port: number

  before(async () => {
    port = await freePort()
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
    received = Buffer.alloc(0)
  })

  /** Each message of the caller gets the next answer. */
  async function listen(at: number | string, ...these: Buffer[]): Promise<void> {
    answers = these
    server = createServer((socket) => {
      const left = [...answers]
      sockets.push(socket)
      socket
        .on('error', () => {})
        .on('data', (chunk) => {
          received = Buffer.concat([received, chunk])
          const next = left.shift()
          if (next) socket.write(next)
        })
    })
    await new Promise<void>((resolve) =>
      server.listen(at as number, typeof at === 'number' ? '127.0.0.1' : undefined, resolve),
    )
  }

  const urlOf = (host: string) => `postgres://me:${PASSWORD}@${host}:${port}/db`
  /** Ends when the caller has closed its connection, so that nothing more can come. */
  async function faultOf(url: string): Promise<Error> {
    const pool = openPool({ url, name: 'test', max: 1, limits: 'callers' })
    const fault = await rows(pool, 'SELECT 1').catch((error: Error) => error)
    await pool.end()
    assert.instanceOf(fault, Error)
    await Promise.all(sockets.filter((socket) => !socket.closed).map((socket) => once(socket, 'close')))
    return fault
  }
  const expectNothing = () => {
    assert.isAbove(received.length, 0)
    assert.notInclude(received.toString('latin1'), PASSWORD)
    // A message with a password or a hash of it; the startup message begins with its length.
    assert.notInclude([...received.subarray(received.readUInt32BE(0))], 0x70)
  }

  for (const [how, asked] of [
    ['in clear text', CLEAR_TEXT],
    ['as MD5', MD5],
  ] as const) {
    it(`over TCP gets no password that it asks for ${how}, and the caller one line`, async () => {
      await listen(port, asked)
      const fault = await faultOf(urlOf('127.0.0.1'))
      assert.match(
        fault.message,
        new RegExp(`^PostgreSQL at 127.0.0.1:${port} asks for the password ${how}, so it was not sent: `),
      )
      assert.notInclude(fault.message, '\n')
      expectNothing()
    })

    it(`at a Unix socket gets no password that it asks for ${how}`, async () => {
      await listen(join(folder, `.s.PGSQL.${port}`), asked)
      const fault = await faultOf(urlOf(encodeURIComponent(folder)))
      assert.match(fault.message, new RegExp(`asks for the password ${how}`))
      expectNothing()
    })
  }

  it('gets none where it asks only after it has admitted the caller', async () => {
    await listen(port, ADMITTED, CLEAR_TEXT)
    await faultOf(urlOf('127.0.0.1'))
    assert.notInclude(received.toString('latin1'), PASSWORD)
  })

  it('gets none of the connection that holds a lock', async () => {
    await listen(port, CLEAR_TEXT)
    const fault = await tryAcquire(urlOf('127.0.0.1')).catch((error: Error) => error)
    assert.match((fault as Error).message, /in clear text/)
    expectNothing()
  })
})
