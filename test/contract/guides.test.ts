// The guides over HTTP: pages without scripts and with working links, the same text as Markdown, and what Markdown
// can't inject into a page.
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { assert } from 'chai'
import type { Browser } from 'playwright-core'
import { guidePage } from '../../src/cli/bootstrap/build-guides.ts'
import { assertFits, axeFindings, needBrowser, openPage, startBrowser } from '../support/browser.ts'
import { call } from '../support/http/contract-client.ts'
import { startExampleService, type ExampleService } from '../support/http/example-service.ts'
import { builtWeb } from '../support/service/tools/built-web.ts'

const root = join(import.meta.dirname, '../..')
const NAMES = globSync('openapi/guides/*.md', { cwd: root }).map((path) => basename(path, '.md'))
const PAGES = ['/docs', ...NAMES.map((name) => `/docs/${name}`)]

describe('the guides over HTTP', function () {
  this.timeout(60_000)
  let service: ExampleService
  const pages = new Map<string, string>()
  before(async () => {
    service = await startExampleService({ webFolder: builtWeb() })
    for (const path of PAGES) pages.set(path, (await call(service.url, 'GET', path)).body)
  })
  after(() => service?.close())

  it('are pages without scripts, and their policy allows none', async () => {
    assert.isAtLeast(NAMES.length, 8)
    for (const path of PAGES) {
      const { status, headers, body } = await call(service.url, 'GET', path)
      assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'], path)
      assert.strictEqual(
        headers['content-security-policy'],
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      assert.notMatch(body, /<script|<style| style=| on[a-z]+=/, path)
      assert.lengthOf([...body.matchAll(/<h1/g)], 1, path)
    }
  })

  it('link only to existing pages and headings', async () => {
    let followed = 0
    for (const [path, body] of pages) {
      for (const [, address] of body.matchAll(/(?:href|src)="([^"]*)"/g)) {
        const to = new URL(address!, service.url + path)
        if (to.origin !== service.url) {
          assert.strictEqual(to.protocol, 'https:', address)
          continue
        }
        followed += 1
        const page = pages.get(to.pathname)
        if (page === undefined) assert.strictEqual((await call(service.url, 'GET', to.pathname)).status, 200, address)
        else if (to.hash) assert.include(page, ` id="${to.hash.slice(1)}"`, `${path}: ${address}`)
      }
    }
    assert.isAbove(followed, PAGES.length * PAGES.length)
    for (const path of PAGES) for (const other of PAGES) assert.include(linksOf(path), other, path)
  })

  const linksOf = (path: string) =>
    [...pages.get(path)!.matchAll(/<a href="([^"]*)"/g)].map(
      ([, address]) => new URL(address!, service.url + path).pathname,
    )

  it('are also served as Markdown, listed in llms.txt, without links to files that are not served', async () => {
    const { body: llms } = await call(service.url, 'GET', '/llms.txt')
    for (const name of NAMES) {
      const { status, headers, body } = await call(service.url, 'GET', `/docs/${name}.md`)
      assert.deepEqual([status, headers['content-type']], [200, 'text/markdown; charset=utf-8'], name)
      assert.match(body, /^# /)
      assert.notMatch(body, /\]\(\.\./)
      assert.include(llms, `(docs/${name}.md)`)
    }
  })

  it('are served under their own names only', async () => {
    for (const name of ['guides.html', 'webhooks.html', 'webhooks.md.gz', 'README.md', 'nosuch', 'index.html']) {
      assert.strictEqual((await call(service.url, 'GET', `/docs/${name}`)).status, 404, name)
    }
  })

  it('escape HTML in their Markdown, and have no script links', () => {
    const text =
      '# A <b>\n\n<script>alert(1)</script>\n\nx <img src=x onerror=alert(1)> [y](javascript:alert(1)) `<i>`\n'
    const page = guidePage(text, [])
    assert.notMatch(page, /<script|<img|<b>|<i>|href="javascript/)
    assert.include(page, '&lt;script&gt;alert(1)&lt;/script&gt;')
    assert.include(page, '&lt;img src=x onerror=alert(1)&gt; y <code>&lt;i&gt;</code>')
  })

  describe('in a browser', () => {
    let browser: Browser
    before(function () {
      needBrowser(this)
    })
    before(async () => {
      browser = await startBrowser()
    })
    after(() => browser?.close())

    it('fit a narrow window, break no policy and are accessible', async () => {
      for (const path of PAGES) {
        const looks = {
          viewport: { width: 320, height: 800 },
          colorScheme: path === '/docs' ? 'dark' : 'light',
        } as const
        const { page, faults, close } = await openPage(browser, service.url, path, looks)
        await assertFits(page, path)
        assert.deepEqual((await axeFindings(page)).findings, [], path)
        assert.deepEqual(faults, [], path)
        await close()
      }
    })

    it('lead to the reference, which shows the contract', async () => {
      const { page, faults, close } = await openPage(browser, service.url, '/docs/webhooks')
      await page.getByRole('navigation').getByText('Reference').click()
      await page.getByText('Recent Form 4 transactions').first().waitFor()
      assert.deepEqual(faults, [])
      await close()
    })
  })
})
