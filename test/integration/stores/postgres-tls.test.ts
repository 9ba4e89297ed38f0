// PostgreSQL over TLS, as DATABASE_URL requests it: the test's PostgreSQL behind a TLS listener, with a certificate for
// 127.0.0.1 by its own authority.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { assert } from 'chai'
import pg from 'pg'
import { migratePostgres } from '../../../src/infrastructure/postgres/migrate.ts'
import { openPool, rows } from '../../../src/infrastructure/postgres/pool.ts'
import { stores } from '../../support/stores/stores.ts'
import { receiverCertificate } from '../../support/webhooks/receiver-certificate.ts'

describe('PostgreSQL over TLS', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'insider-tls-'))
  const authority = join(folder, 'authority.pem')
  let server: Server
  let [user, password, database] = ['', '', '']
  let takesTls = true
  /** Connections that were encrypted, and were not. */
  const taken = { tls: 0, plain: 0 }
  const sockets = new Set<Socket>()

  before(async () => {
    writeFileSync(authority, receiverCertificate.cert)
    const behind = new pg.Client({ connectionString: (await stores()).databaseUrl })
    user = behind.user ?? ''
    password = behind.password ?? ''
    database = behind.database ?? ''
    const { host, port } = behind
    const place = host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port }
    server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('data', (first) => {
        const asksForTls = first.length === 8 && first.readUInt32BE(4) === 80_877_103
        const isTls = asksForTls && takesTls
        taken[isTls ? 'tls' : 'plain'] += 1
        if (!isTls) return void socket.end('N')
        socket.write('S')
        const plain = new TLSSocket(socket, { isServer: true, ...receiverCertificate })
        const store = connect(place)
        sockets.add(store)
        for (const each of [plain, store]) each.on('error', () => socket.destroy())
        plain.pipe(store).pipe(plain)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = async <T>(parameters: string, host: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> => {
    const at = `${host}:${(server.address() as AddressInfo).port}`
    const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`
    const pool = openPool({ url: `postgres://${login}@${at}/${database}?${parameters}`, name: 'tls', max: 2 })
    try {
      return await work(pool)
    } finally {
      await pool.end()
    }
  }
  const refusal = (parameters: string, host = '127.0.0.1') =>
    ask(parameters, host, (pool) => rows(pool, 'SELECT 1')).then(
      () => assert.fail('it was not refused'),
      (error: Error) => `${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`,
    )

  it('is used with the authority that the address names', async () => {
    const trusted = `sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`
    await ask(trusted, '127.0.0.1', async (pool) => {
      assert.deepEqual(await migratePostgres(pool), [])
      assert.deepInclude(await rows(pool, 'SELECT name FROM migrations'), { name: '0001_schema.sql' })
    })
    assert.isAbove(taken.tls, 0)
    assert.strictEqual(taken.plain, 0)
  })

  it('is refused with a certificate of another authority, or for another name', async () => {
    assert.match(await refusal('sslmode=verify-full'), /self[- ]signed certificate/)
    const trusted = `sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`
    assert.match(await refusal(trusted, 'localhost'), /Hostname\/IP does not match certificate's altnames/)
  })

  it('is required: a server without it is refused', async () => {
    takesTls = false
    assert.match(await refusal('sslmode=verify-full'), /does not support SSL connections/)
    assert.strictEqual(taken.plain, 1)
  })
})
