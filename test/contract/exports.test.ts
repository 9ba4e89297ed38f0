// The month files over HTTP: the manifest as in the examples, whole files and ranges, and files that are replaced.
import { createHash, randomBytes } from 'node:crypto'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import fc from 'fast-check'
import type { ExportManifest } from '../../src/application/ports/exports.ts'
import { makeExportQueries } from '../../src/application/queries/export-queries.ts'
import { ExportFiles } from '../../src/infrastructure/exports/folder.ts'
import { call } from '../support/http/contract-client.ts'
import { example, EXAMPLE_KEY, startExampleService, type ExampleService } from '../support/http/example-service.ts'

const PATH = '/v1/exports/transactions/2030-01.parquet'
const SIZE = 2_000_003

describe('/v1/exports', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'test-exports-'))
  const files = new ExportFiles(folder)
  let service: ExampleService
  let bytes: Buffer
  let revision: string
  before(async () => {
    await publish(SIZE)
    service = await startExampleService({
      exportQueries: makeExportQueries({
        manifest: () => files.present(),
        pathOf: (path) => files.pathOf(path),
        sizeOf: (path) => files.sizeOf(path),
      }),
    })
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const retired: ExportManifest['retired'] = []
  /** Puts other bytes in the place of the present ones. */
  async function publish(size: number) {
    bytes = randomBytes(size)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    revision = sha256.slice(0, 16)
    const path = `transactions/2030-01.${revision}.parquet`
    await files.write(path, bytes)
    const {
      files: [shown],
      columns,
      row,
      madeAt,
      position,
    } = example('exported-dataset').data
    const file = { ...shown, bytes: size, sha256, revision, path, source: null }
    const dataset = { name: 'transactions' as const, row, schemaVersion: 1, columns, files: [file] }
    await files.publish({ madeAt, position, datasets: [dataset], retired })
    retired.push({ path, retiredAt: '2030-02-01T00:00:00Z', bytes: size })
    return path
  }

  const ask = (headers: Record<string, string> = {}, path = PATH, method = 'GET') =>
    fetch(service.url + path, { method, headers: { 'accept-encoding': 'identity', ...headers } })
  const bodyOf = async (reply: Response) => Buffer.from(await reply.arrayBuffer())

  it('answers as in the examples, and is empty without files', async () => {
    const own = await startExampleService()
    try {
      assert.deepEqual((await call(own.url, 'GET', '/v1/exports')).body, example('exported-datasets'))
      assert.deepEqual((await call(own.url, 'GET', '/v1/exports/transactions')).body, example('exported-dataset'))
      const id = { 'x-request-id': example('errors/unknown-dataset').error.requestId }
      const unknown = await call(own.url, 'GET', '/v1/exports/trades', { headers: id })
      assert.deepEqual([unknown.status, unknown.body], [404, example('errors/unknown-dataset')])
    } finally {
      await own.close()
    }
    const none = makeExportQueries({ manifest: async () => null, pathOf: (path) => path, sizeOf: async () => null })
    assert.deepEqual(await none.datasets(), { madeAt: null, position: null, datasets: [] })
    assert.isNull(await none.dataset('transactions'))
    assert.isNull(await none.file('transactions', '2030-01.parquet'))
  })

  it('lists each file with its revision and address', async () => {
    const { body } = await call(service.url, 'GET', '/v1/exports/transactions')
    const [file] = body.data.files
    assert.deepInclude(file, { bytes: SIZE, revision, url: PATH })
    assert.strictEqual(file.pinnedUrl, `/v1/exports/transactions/2030-01.${revision}.parquet`)
    assert.notProperty(file, 'path')
    const list = await call(service.url, 'GET', '/v1/exports')
    assert.deepInclude(list.body.data.datasets[0], { dataset: 'transactions', files: 1, bytes: SIZE })
  })

  it('sends a whole file, with the headers for range requests', async () => {
    for (const method of ['GET', 'HEAD']) {
      const reply = await ask({ 'accept-encoding': 'gzip, br' }, PATH, method)
      assert.strictEqual(reply.status, 200)
      const { headers } = reply
      assert.strictEqual(headers.get('content-length'), String(SIZE))
      assert.strictEqual(headers.get('accept-ranges'), 'bytes')
      assert.strictEqual(headers.get('etag'), `"${revision}"`)
      assert.strictEqual(headers.get('last-modified'), new Date('2030-02-01T03:41:07Z').toUTCString())
      assert.strictEqual(headers.get('content-type'), 'application/vnd.apache.parquet')
      assert.strictEqual(headers.get('cache-control'), 'public, max-age=0, must-revalidate')
      assert.strictEqual(headers.get('access-control-allow-origin'), '*')
      assert.include(headers.get('access-control-expose-headers'), 'Content-Range')
      assert.isNull(headers.get('content-encoding'))
      assert.isNull(headers.get('content-range'))
      assert.isTrue((await bodyOf(reply)).equals(method === 'GET' ? bytes : Buffer.alloc(0)))
    }
    const pinned = await ask({}, `/v1/exports/transactions/2030-01.${revision}.parquet`)
    assert.strictEqual(pinned.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.isTrue((await bodyOf(pinned)).equals(bytes))
  })

  it('sends any range, so that the file can be put together from parts', async () => {
    const place = fc.integer({ min: 0, max: SIZE - 1 })
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(place, { maxLength: 4 }), fc.func(fc.integer()), async (cuts, weight) => {
        const ends = [0, ...cuts.toSorted((a, b) => a - b), SIZE]
        const parts = ends.slice(1).flatMap((end, index) => (end > ends[index]! ? [[ends[index]!, end] as const] : []))
        const made = Buffer.alloc(SIZE)
        for (const [start, end] of parts.toSorted((a, b) => weight(a) - weight(b))) {
          const isLast = end === SIZE
          const form = isLast
            ? [`${start}-`, `-${SIZE - start}`, `${start}-${SIZE + 9}`][start % 3]
            : `${start}-${end - 1}`
          const reply = await ask({ range: `bytes=${form}` })
          assert.strictEqual(reply.status, 206, form)
          assert.strictEqual(reply.headers.get('content-range'), `bytes ${start}-${end - 1}/${SIZE}`)
          assert.strictEqual(reply.headers.get('content-length'), String(end - start))
          ;(await bodyOf(reply)).copy(made, start)
        }
        assert.isTrue(made.equals(bytes))
      }),
      { numRuns: 20 },
    )
    const all = await ask({ range: `bytes=-${SIZE * 2}` })
    assert.deepEqual([all.status, all.headers.get('content-range')], [206, `bytes 0-${SIZE - 1}/${SIZE}`])
    assert.isTrue((await bodyOf(all)).equals(bytes))
    const head = await ask({ range: 'bytes=10-19' }, PATH, 'HEAD')
    assert.deepEqual([head.status, head.headers.get('content-length')], [206, '10'])
  })

  it('sends the whole file for anything but one range, and 416 for a range beyond the end', async () => {
    for (const range of ['bytes=0-1,5-6', 'bytes=5-1', 'bytes=', 'bytes=a-b', 'lines=1-2', 'bytes 0-1']) {
      const reply = await ask({ range })
      assert.deepEqual([reply.status, reply.headers.get('content-range')], [200, null], range)
      assert.strictEqual((await bodyOf(reply)).length, SIZE)
    }
    for (const range of [
      `bytes=${SIZE}-`,
      `bytes=${SIZE + 5}-${SIZE + 9}`,
      'bytes=-0',
      'bytes=99999999999999999999-',
    ]) {
      const reply = await call(service.url, 'GET', PATH, { headers: { range } })
      assert.deepEqual([reply.status, reply.body.error.code], [416, 'range_not_satisfiable'], range)
      assert.strictEqual(reply.headers['content-range'], `bytes */${SIZE}`)
    }
  })

  it('answers 304 to a matching ETag, and the whole file if If-Range names another one', async () => {
    const since = new Date('2030-02-01T03:41:07Z').toUTCString()
    for (const headers of [
      { 'if-none-match': `"${revision}"` },
      { 'if-none-match': `W/"x", "${revision}"` },
      { 'if-modified-since': since },
    ]) {
      const reply = await ask(headers)
      assert.deepEqual([reply.status, reply.headers.get('etag')], [304, `"${revision}"`])
    }
    assert.strictEqual((await ask({ 'if-none-match': '"other"', 'if-modified-since': since })).status, 200)
    for (const same of [`"${revision}"`, since])
      assert.strictEqual((await ask({ range: 'bytes=0-9', 'if-range': same })).status, 206)
    for (const other of ['"other"', `W/"${revision}"`, 'Thu, 01 Jan 1970 00:00:00 GMT'])
      assert.strictEqual((await ask({ range: 'bytes=0-9', 'if-range': other })).status, 200)
  })

  it('answers 412 to a condition that the file does not meet', async () => {
    const [before, since] = ['2030-02-01T03:41:06Z', '2030-02-01T03:41:07Z'].map((time) => new Date(time).toUTCString())
    const id = { 'x-request-id': example('errors/precondition-failed').error.requestId }
    for (const headers of [
      { 'if-match': '"other"' },
      { 'if-match': '"other"', range: 'bytes=0-9' },
      { 'if-match': '"other"', 'if-none-match': `"${revision}"` },
      { 'if-unmodified-since': before! },
    ]) {
      const reply = await call(service.url, 'GET', PATH, { headers: { ...headers, ...id } })
      assert.deepEqual([reply.status, reply.body], [412, example('errors/precondition-failed')])
      assert.notProperty(reply.headers, 'retry-after')
      assert.notProperty(reply.headers, 'etag')
      const head = await ask(headers, PATH, 'HEAD')
      assert.deepEqual([head.status, await head.text()], [412, ''])
    }
    for (const headers of [
      { 'if-match': `"other", "${revision}"` },
      { 'if-match': '*' },
      { 'if-unmodified-since': since! },
      { 'if-match': `"${revision}"`, 'if-unmodified-since': before! },
    ])
      assert.strictEqual((await ask(headers)).status, 200)
  })

  it('does not find any other file, wherever it is', async () => {
    mkdirSync(join(folder, 'secrets'), { recursive: true })
    writeFileSync(join(folder, 'secrets', 'all.parquet'), 'secret')
    for (const [path, status] of [
      ['/v1/exports/transactions/2030-02.parquet', 404],
      ['/v1/exports/transactions/2030-01.0123456789abcdef.parquet', 404],
      ['/v1/exports/secrets/all.parquet', 404],
      ['/v1/exports/transactions/..%2fmanifest.json', 400],
      ['/v1/exports/transactions/manifest.json', 400],
      ['/v1/exports/transactions/2030-01.parquet.part', 400],
      ['/v1/exports/Transactions/2030-01.parquet', 400],
    ] as const) {
      assert.strictEqual((await call(service.url, 'GET', path)).status, status, path)
    }
  })

  it('never mixes two versions of a file, and shows range readers that it was replaced', async () => {
    const [first, etag] = [bytes, `"${revision}"`]
    // The caller takes nothing of it while another file takes the place.
    const socket = connect(service.port, '127.0.0.1')
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    await once(socket, 'readable')
    await publish(SIZE + 10)
    const received = Buffer.concat(await socket.toArray())
    assert.isTrue(received.subarray(received.indexOf('\r\n\r\n') + 4).equals(first))

    const next = await ask({ range: 'bytes=0-9', 'if-range': etag })
    assert.strictEqual(next.status, 200)
    assert.notStrictEqual(next.headers.get('etag'), etag)
    const part = await ask({ range: 'bytes=0-9' })
    assert.strictEqual(part.headers.get('etag'), `"${revision}"`)
    assert.isTrue((await bodyOf(part)).equals(bytes.subarray(0, 10)))
    const pinned = await ask({}, `/v1/exports/${retired[0]!.path}`)
    assert.isTrue((await bodyOf(pinned)).equals(first))
    assert.strictEqual(pinned.headers.get('etag'), etag)
  })

  /** Asks for all of it, for its head, for a part, and as one who has it. */
  async function assertUnavailable(path: string) {
    const etag = { 'if-none-match': `"${revision}"` }
    for (const [method, headers] of [
      ['GET', {}],
      ['HEAD', {}],
      ['GET', { range: 'bytes=0-9' }],
      ['GET', etag],
      ['HEAD', etag],
      ['GET', { 'if-modified-since': new Date().toUTCString() }],
    ] as const) {
      const reply = await ask({ ...headers }, path, method)
      const said = `${method} ${path} ${JSON.stringify(headers)}`
      assert.strictEqual(reply.status, 503, said)
      assert.strictEqual(reply.headers.get('retry-after'), '5', said)
      assert.strictEqual(reply.headers.get('cache-control'), 'no-store', said)
      assert.isNull(reply.headers.get('etag'), said)
      assert.isNull(reply.headers.get('content-range'), said)
      const body = await reply.text()
      if (method === 'HEAD') assert.strictEqual(body, '', said)
      else assert.strictEqual(JSON.parse(body).error.code, 'unavailable', said)
    }
  }

  it('refuses a file that is shorter or longer than the manifest says, or missing, until it is restored', async () => {
    const path = await publish(SIZE)
    const pinned = `/v1/exports/${path}`
    const onDisk = files.pathOf(path)
    const assertServed = async () => {
      for (const each of [PATH, pinned]) assert.isTrue((await bodyOf(await ask({}, each))).equals(bytes))
    }
    await assertServed()
    for (const spoil of [
      () => truncateSync(onDisk, SIZE - 1),
      () => truncateSync(onDisk, 0),
      () => appendFileSync(onDisk, 'x'),
      () => rmSync(onDisk),
      () => {
        rmSync(onDisk)
        mkdirSync(onDisk)
      },
    ]) {
      spoil()
      for (const each of [PATH, pinned]) await assertUnavailable(each)
      rmSync(onDisk, { recursive: true, force: true })
      writeFileSync(onDisk, bytes)
      await assertServed()
    }
  })

  it('logs each refusal once, as an error with the name of the file and both sizes', async () => {
    const path = await publish(SIZE)
    truncateSync(files.pathOf(path), 7)
    const before = service.log.length
    await assertUnavailable(PATH)
    // The line of a request follows its answer.
    for (let tries = 0; service.log.length < before + 6; tries += 1) {
      assert.isBelow(tries, 200, 'lines of the log')
      await sleep(25)
    }
    const lines = service.log.slice(before)
    assert.lengthOf(lines, 6)
    for (const { level, err } of lines) {
      assert.strictEqual(level, 50)
      const says = `the month file ${path} has 7 bytes, and the manifest names it with ${SIZE} bytes`
      assert.strictEqual(err.message, says)
    }
    await publish(SIZE)
  })

  it('refuses a replaced file that is damaged, and no longer finds it once the manifest does not list it', async () => {
    const path = await publish(SIZE)
    await publish(SIZE)
    truncateSync(files.pathOf(path), 5)
    await assertUnavailable(`/v1/exports/${path}`)
    rmSync(files.pathOf(path))
    await assertUnavailable(`/v1/exports/${path}`)
    retired.length = 0
    await publish(SIZE)
    assert.strictEqual((await ask({}, `/v1/exports/${path}`)).status, 404)
  })

  it('closes the file after the answer', async function () {
    if (process.platform !== 'linux') {
      process.stdout.write('      skipped: only Linux lists open files in /proc\n')
      this.skip()
    }
    const path = await publish(SIZE)
    assert.strictEqual((await bodyOf(await ask())).length, SIZE)
    const isOpen = () =>
      readdirSync('/proc/self/fd').some((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(files.pathOf(path))
        } catch {
          // Closed meanwhile, as the one that lists them.
          return false
        }
      })
    for (let tries = 0; isOpen(); tries += 1) {
      assert.isBelow(tries, 200, 'the file is still open')
      await sleep(25)
    }
  })

  it('needs a key if EXPORTS_ACCESS is key', async () => {
    const own = await startExampleService({ exportsAccess: 'key' })
    try {
      for (const path of ['/v1/exports', '/v1/exports/transactions', PATH]) {
        const refused = await fetch(own.url + path)
        assert.deepEqual([refused.status, ((await refused.json()) as any).error.code], [401, 'missing_api_key'])
        const reply = await fetch(own.url + path, { headers: { authorization: `Bearer ${EXAMPLE_KEY}` } })
        assert.deepEqual([reply.status, reply.headers.get('cache-control')], [200, 'private, no-store'])
        assert.isNull(reply.headers.get('access-control-allow-origin'))
        await reply.arrayBuffer()
      }
      assert.strictEqual((await fetch(`${own.url}/v1/feed`)).status, 200)
    } finally {
      await own.close()
    }
  })
})
