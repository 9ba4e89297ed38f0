// The dashboard over HTTP: its page and files with their content security policy and encodings, and answers when it is
// turned off.
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert } from 'chai'
import { call } from '../support/http/contract-client.ts'
import { startExampleService, type ExampleService } from '../support/http/example-service.ts'
import { builtWeb } from '../support/service/tools/built-web.ts'

const POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'none'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

describe('the dashboard over HTTP', function () {
  this.timeout(60_000)
  let service: ExampleService
  before(async () => {
    service = await startExampleService({ webFolder: builtWeb() })
  })
  after(() => service?.close())

  it('has a content security policy that allows its own files only', async () => {
    const { status, headers, body } = await call(service.url, 'GET', '/')
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
    assert.strictEqual(headers['content-security-policy'], POLICY)
    assert.strictEqual(headers['cross-origin-opener-policy'], 'same-origin')
    assert.notMatch(body, /<script>|<style|style=| on[a-z]+=|https?:/)
    const files = [...body.matchAll(/(?:src|href)="(dashboard\/[^"]*)"/g)].map(([, path]) => path as string)
    const shared = files.filter((file) => /^dashboard\/chunk-[A-Z0-9]{8}\.js$/.test(file))
    assert.sameMembers(files, ['dashboard/app.js', 'dashboard/style.css', 'dashboard/icon.svg', ...shared])
    assert.isAbove(shared.length, 0)
    for (const file of [...files, 'dashboard/app.js.map', 'dashboard/licences.txt']) {
      assert.strictEqual((await call(service.url, 'GET', `/${file}`)).status, 200, file)
    }
  })

  it("and the reference use relative addresses, so that they work below a proxy's prefix", async () => {
    const proxy = createServer((request, response) => {
      if (!request.url!.startsWith('/insider/')) return void response.writeHead(404).end()
      const to = new URL(request.url!.slice('/insider'.length), service.url)
      httpRequest(to, { headers: { accept: request.headers.accept } }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      }).end()
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    try {
      const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
      for (const page of ['/insider/', '/insider/docs']) {
        const html = await (await fetch(origin + page, { headers: { accept: 'text/html' } })).text()
        const named = [...html.matchAll(/(?:src|href)="([^"#:]+)"/g)].map(([, path]) => path!)
        assert.isAtLeast(named.length, 4, page)
        for (const path of named) {
          const { status, url } = await fetch(new URL(path, origin + page))
          assert.strictEqual(status, 200, `${page}: ${path} is ${url}`)
        }
      }
    } finally {
      proxy.closeAllConnections()
      proxy.close()
    }
  })

  it('has the licence of each bundled package', async () => {
    const { body } = await call(service.url, 'GET', '/dashboard/licences.txt')
    const maps = readdirSync(builtWeb()).filter((name) => name.endsWith('.js.map'))
    const answers = await Promise.all(maps.map((name) => call(service.url, 'GET', `/dashboard/${name}`)))
    const sources = answers.flatMap((answer) => (JSON.parse(answer.body) as { sources: string[] }).sources)
    const packages = sources.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])
    assert.isAbove(packages.length, 3)
    for (const name of packages) assert.match(body, new RegExp(`^${name} \\d`, 'm'))
  })

  it('is sent plain or compressed, each with an ETag of its own', async () => {
    for (const path of ['/', '/dashboard/app.js', '/dashboard/style.css', '/docs', '/docs/swagger-ui-bundle.js']) {
      const plain = await fetch(service.url + path, { headers: { 'accept-encoding': 'identity' } })
      const gzip = await fetch(service.url + path, { headers: { 'accept-encoding': 'gzip' } })
      assert.strictEqual(plain.headers.get('content-encoding'), null)
      assert.strictEqual(gzip.headers.get('content-encoding'), 'gzip')
      assert.strictEqual(await gzip.text(), await plain.text(), path)
      assert.strictEqual(gzip.headers.get('etag'), plain.headers.get('etag')!.replace(/"$/, '-g"'))
      for (const answer of [plain, gzip]) {
        assert.strictEqual(answer.headers.get('vary'), 'Accept-Encoding')
        const again = await fetch(service.url + path, { headers: { 'if-none-match': answer.headers.get('etag')! } })
        assert.strictEqual(again.status, 304)
      }
    }
  })

  it('has no other files, whatever the name', async () => {
    for (const name of ['index.html', 'app.js.gz', 'insider-trading-client.tgz', '..%2Fpackage.json', '%2e%2e', 'x']) {
      assert.strictEqual((await call(service.url, 'GET', `/dashboard/${name}`)).status, 404, name)
    }
    assert.isAbove(readdirSync(builtWeb()).length, 8)
  })

  it('is not found if it is turned off, and / redirects to the guides', async () => {
    const off = await startExampleService({ webFolder: builtWeb(), dashboard: false })
    const { status, headers } = await call(off.url, 'GET', '/')
    assert.deepEqual([status, headers.location], [302, 'docs'])
    assert.strictEqual((await call(off.url, 'GET', '/dashboard/app.js')).status, 404)
    assert.strictEqual((await call(off.url, 'GET', '/docs/insider-trading-client.tgz')).status, 200)
    await off.close()
  })
})
