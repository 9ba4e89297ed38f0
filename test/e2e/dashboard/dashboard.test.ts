// The dashboard in a real browser, over a stack as make up starts it: what it shows against what the API answers, rows
// that move, keys alone, faults, accessibility, and that nothing a filing says reaches the page as markup.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { assert } from 'chai'
import { runningService } from '../../../src/service/service-record.ts'
import { many } from '../../../src/web/format.ts'
import { assertFits, axeFindings } from '../../support/browser.ts'
import { CLUSTER, fiveYearsAgo, HOSTILE, MARKUP, trade, useDashboard } from '../../support/dashboard.ts'
import type { FilingSpec } from '../../support/filings/filing-builder.ts'
import type { StackOfTest } from '../../support/make.ts'
import { volume } from '../../support/volume.ts'
import { startReceiver, type Receiver } from '../../support/webhooks/receiver.ts'

const LOOKS = volume('widths and themes of each page', 2, 6)
const AXE_CHECKS = volume('accessibility checks of each page', 1, 2)

describe('the dashboard', function () {
  this.timeout(120_000)
  const { started, open, ingest, api, ids, feedIds, hasRows, hasTexts } = useDashboard({
    WEBHOOK_ALLOW_HTTP: 1,
    WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
  })
  let stack: StackOfTest
  let receiver: Receiver

  before(async () => {
    stack = started()
    receiver = await startReceiver()
  })
  after(() => receiver?.close())

  it('fetches at most 32 kB of script and 6 kB of style at first, 64 kB of script in all, compressed', async () => {
    const sizes = new Map<string, number>()
    const measure = async (name: string): Promise<void> => {
      if (sizes.has(name)) return
      const answer = await fetch(`${stack.address}/dashboard/${name}`, { headers: { 'accept-encoding': 'gzip' } })
      assert.deepEqual([answer.status, answer.headers.get('content-encoding')], [200, 'gzip'], name)
      sizes.set(name, Number(answer.headers.get('content-length')))
      const text = await answer.text()
      assert.isAtMost(gzipSync(text, { level: 9 }).length, sizes.get(name)!, name)
      for (const [, file] of text.matchAll(/(?:from|import)\(?"\.\/([^"]+\.js)"/g)) await measure(file!)
    }
    const sum = (end: string, names = [...sizes.keys()]) =>
      names.filter((name) => name.endsWith(end)).reduce((all, name) => all + sizes.get(name)!, 0)
    const page = await (await fetch(`${stack.address}/`)).text()
    const named = [...page.matchAll(/"dashboard\/([^"]*\.(?:js|css))"/g)].map(([, name]) => name!)
    for (const name of named) await measure(name)
    assert.isAtMost(sum('.js', named), 32 * 1024)
    assert.isAtMost(sum('.css', named), 6 * 1024)
    assert.isAbove(sizes.size, named.length + 3)
    // With all pages, of which a reader fetches one at a time.
    assert.isAtMost(sum('.js'), 64 * 1024)
    // The page names all that it fetches at first.
    const watched = await open()
    const fetched: string[] = await watched.page.evaluate(
      'performance.getEntriesByType("resource").map(({ name }) => name)',
    )
    const scripts = fetched.filter((url) => url.endsWith('.js')).map((url) => url.slice(url.lastIndexOf('/') + 1))
    assert.sameMembers(
      scripts,
      named.filter((name) => name.endsWith('.js')),
    )
  })

  it('shows three commands where nothing is stored, and rows once there are some', async () => {
    const { page, faults } = await open()
    await page.getByRole('heading', { name: 'No filings here yet' }).waitFor()
    const commands = await page.locator('.empty code').allInnerTexts()
    assert.lengthOf(commands, 3)
    const makefile = readFileSync(join(import.meta.dirname, '../../../Makefile'), 'utf8')
    for (const command of commands) assert.match(makefile, new RegExp(`^${command.split(' ')[1]}:`, 'm'))
    await page.getByText('live', { exact: true }).waitFor()
    const { status } = await stack.make('ingest', { FROM: 'test/fixtures/filings' })
    assert.strictEqual(status, 0)
    await hasRows(page, await feedIds())
    assert.strictEqual(await page.locator('.empty').count(), 0)
    assert.deepEqual(faults, [])
  })

  it('shows the rows of the API in their order, also with filters, and the call it made', async () => {
    const { page, faults } = await open('/#/?filter=buys&minValue=30000')
    await hasRows(page, await feedIds('&filter=buys&minValue=30000'))
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await hasRows(page, await feedIds('&minValue=30000'))
    await page.getByText('Filters (1)').click()
    await page.getByRole('combobox', { name: 'Companies', exact: true }).fill('exwi')
    await page.getByLabel('Value at least ($)').fill('')
    await page.getByLabel('10b5-1 plan').selectOption({ label: 'not under a plan' })
    await page.getByRole('button', { name: 'Apply' }).click()
    const query = '&tickers=exwi&plan10b51=no,unknown'
    await hasRows(page, await feedIds(query))
    await page.getByLabel('open-market trades only').check()
    await hasRows(page, await feedIds(`${query}&transactionTypes=buy,sell`))
    await page.getByText('As an API request').click()
    const shown = await page.locator('.code pre').innerText()
    const path = new URL(/'(.*)'/.exec(shown)![1]!)
    assert.deepEqual(
      (await api(path.pathname + path.search)).transactions.map(({ id }: { id: string }) => id),
      await ids(page),
    )
    await page.reload()
    await hasRows(page, await feedIds(`${query}&transactionTypes=buy,sell`))
    assert.strictEqual(await page.getByLabel('10b5-1 plan').inputValue(), 'no,unknown')
    await page.getByLabel('open-market trades only').uncheck()
    await page.goto(`${stack.address}/#/?minValue=a+lot`)
    await page
      .getByRole('alert')
      .getByText(/^minValue must be/)
      .waitFor()
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('400')),
      [],
    )
  })

  it('shows what filings say as text, and opens a line in place', async () => {
    const { page, faults } = await open()
    await ingest('hostile', HOSTILE)
    const row = page.locator('tr[data-id^="0001999777"]')
    await row.waitFor()
    await row.locator('.opener').click()
    await page.locator('.footnote').first().waitFor()
    const text = await page.locator('table').innerText()
    assert.isAtLeast(text.split(MARKUP).length - 1, 6)
    assert.strictEqual(await page.locator('table img').count(), 0)
    assert.strictEqual(await page.title(), 'Insider trades')
    const links = await page.locator('main a').evaluateAll((all: any[]) => all.map(({ href }) => href as string))
    for (const link of links) assert.match(link, /^(http:\/\/127\.0\.0\.1:\d+\/|https:\/\/www\.sec\.gov\/)/)
    assert.deepEqual(faults, [])
  })

  it('holds new rows back while it is paused, and shows them on request', async () => {
    const { page } = await open()
    await page.getByText('live', { exact: true }).waitFor()
    const before = await feedIds()
    await hasRows(page, before)
    await page.keyboard.press('p')
    await page.getByText('paused').waitFor()
    await ingest('paused', trade('0001999001-26-000101', 101))
    await page.getByRole('button', { name: '1 new' }).waitFor()
    assert.deepEqual(await ids(page), before)
    await page.getByRole('button', { name: '1 new' }).click()
    await hasRows(page, await feedIds())
    assert.strictEqual((await ids(page)).length, before.length + 1)
  })

  it('says when the service is gone, and continues where it was once it is back, nothing twice', async () => {
    const { page } = await open()
    await page.getByText('live', { exact: true }).waitFor()
    const { pid } = runningService(stack.dataDir)!
    process.kill(pid, 'SIGKILL')
    await page.getByText(/^reconnecting, as of \d\d:\d\d:\d\d ET$/).waitFor()
    assert.isAbove((await ids(page)).length, 5)
    assert.strictEqual((await stack.make('up')).status, 0)
    await ingest('later', trade('0001999001-26-000102', 102))
    await page.locator('tr[data-id^="0001999001-26-000102"]').waitFor()
    await hasRows(page, await feedIds())
    await page.getByText('live', { exact: true }).waitFor()
  })

  it('has no more than 500 rows, and leads to what is older', async () => {
    const { page } = await open()
    const many = Array.from({ length: 20 }, (_, number): FilingSpec => {
      const rows = Array.from({ length: 26 }, (__, row) => ({ shares: String(1_000 + 26 * number + row) }))
      const issuer = { cik: '0001999500', name: 'Many Rows Co', tickerRaw: 'MANY' }
      return {
        accession: `0001999500-26-${String(number).padStart(6, '0')}`,
        acceptedAt: '20261111100000',
        issuer,
        rows,
      }
    })
    await ingest('many', ...many)
    await page.locator('tr[data-id^="0001999500"]').first().waitFor()
    const further = page.getByRole('link', { name: 'Trades before these 500' })
    while (!(await further.isVisible())) {
      // The page before may bring the last row, with which the button goes.
      const click = page.getByRole('button', { name: 'Older' }).click({ timeout: 1_000 })
      await click.catch(() => {})
      await page.waitForTimeout(50)
    }
    const shown = await ids(page)
    assert.strictEqual(new Set(shown).size, shown.length)
    assert.isAtMost(shown.length, 500)
  })

  it('finds companies and insiders by keys alone', async () => {
    const { page, faults } = await open()
    const options = page.locator('#search-results').getByRole('option')
    const search = async (words: string) => {
      const answered = page.waitForResponse((response) => new URL(response.url()).searchParams.get('q') === words)
      await page.keyboard.type(words)
      const { results } = (await (await answered).json()).data
      for (const end = Date.now() + 20_000; (await options.count()) !== results.length;) {
        assert.isBelow(Date.now(), end, `${words} has ${results.length}`)
        await page.waitForTimeout(20)
      }
      // What the first letters found may be as many.
      const first = results[0].kind === 'company' ? results[0].ticker : results[0].name.split(/\W/)[0]
      await options
        .first()
        .filter({ hasText: new RegExp(first, 'i') })
        .waitFor()
    }
    // The page hears of keys once it has been drawn.
    for (; (await page.evaluate('document.activeElement.id')) !== 'search'; await page.waitForTimeout(20))
      await page.keyboard.press('/')
    await search('exem')
    const texts = await options.allInnerTexts()
    assert.include(
      texts.map((text) => text.slice(0, 14)),
      'Clara Exemplar',
    )
    for (; (await page.locator('[aria-selected="true"]').count()) !== 1; await page.waitForTimeout(20))
      await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    assert.strictEqual(await options.count(), 0)
    await search('exwi')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'EXWI' }).waitFor()
    assert.match(page.url(), /#\/company\/EXWI$/)

    const picture = page.getByRole('group', { name: 'Open-market trades at EXWI' })
    await picture.waitFor()
    const marks = picture.locator('[data-mark]')
    assert.strictEqual(await picture.locator('[tabindex="0"]').count(), 1)
    await marks.first().focus()
    const about = page.locator('.about')
    const said = [await about.innerText()]
    for (let step = 1; step < (await marks.count()); step += 1) {
      await page.keyboard.press('ArrowRight')
      said.push(await about.innerText())
    }
    assert.strictEqual(new Set(said).size, await marks.count())
    assert.match(said[0]!, /^2026-10-30: Ada Sample \(.*\) bought 60,000 at \$18.25, \$1.1M$/)
    await page.keyboard.press('Enter')
    assert.include(await about.innerText(), '(pinned; Esc unpins)')
    await page.keyboard.press('Escape')
    assert.include(await about.innerText(), '← → step through trades, Enter pins one')
    await page.goBack()
    await page.getByRole('heading', { name: 'Feed' }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('explains a signal: what counts, and each trade that was left out with its reason in words', async () => {
    await ingest('cluster', ...CLUSTER)
    const { page, faults } = await open('/#/signals?type=cluster_buy')
    await page.locator('.signals').getByRole('link', { name: 'Cluster buy' }).click()
    await page.locator('tr[data-reason]').first().waitFor()
    const [{ id }] = (await api('/v1/signals?type=cluster_buy&tickers=CLUS')).signals
    assert.include(page.url(), id)
    const { signal, counted, leftOut } = await api(`/v1/signals/${id}?detail=full`)
    assert.strictEqual(await page.locator('.lead').innerText(), signal.description)
    assert.deepEqual(
      await ids(page),
      counted.map((each: any) => each.id),
    )
    assert.strictEqual(counted.length, 3)
    assert.sameMembers(await page.locator('tr[data-reason] .why').allInnerTexts(), [
      'under a 10b5-1 plan',
      'owns more than 10%, neither officer nor director',
    ])
    assert.strictEqual(leftOut.length, 2)
    assert.strictEqual(await page.locator('.lanes .line svg').count(), 5)
    await page.getByText('The rule', { exact: true }).waitFor()
    await page.getByText('Detected with default thresholds.').waitFor()
    assert.strictEqual(await page.locator('.head .badge').innerText(), 'active')
    const [first] = leftOut
    await page.locator(`tr[data-reason="${first.reason}"]`).getByRole('link', { name: 'Form 4' }).click()
    await page.getByText(first.transaction.detail.accessionNumber, { exact: true }).waitFor()
    await page.goBack()
    await page.locator('.history a').last().click()
    await page.getByRole('heading', { name: 'Form 4 at CLUS' }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('shows companies and insiders with their sums as the API has them, and offers the search for others', async () => {
    const { page, faults } = await open('/#/company/EXWI?years=all')
    const company = await api('/v1/companies/EXWI')
    await page.getByText(many(company.totalBuys, 'buy'), { exact: true }).waitFor()
    await page.getByText(many(company.totalSells, 'sell'), { exact: true }).waitFor()
    await hasRows(page, await feedIds('&tickers=EXWI'))
    const [{ cik }] = company.topInsiders
    await page.locator(`.lanes a[href="#/insider/${cik}"]`).click()
    await page.getByText(`CIK ${cik}`).waitFor()
    await hasRows(page, await feedIds(`&insiderCiks=${cik}`))
    assert.strictEqual(await page.evaluate('document.activeElement.id'), 'main')
    assert.deepEqual(faults, [])
    await page.goto(`${stack.address}/#/company/CLUS?years=all`)
    // The window of the cluster on each of the lines; the one under a plan and the owner of over 10 % have theirs too.
    await page.locator('rect.window').first().waitFor()
    assert.strictEqual(await page.locator('rect.window').count(), await page.locator('.lanes .line svg').count())
    await page.goto(`${stack.address}/#/company/NOSUCH`)
    await page.getByRole('button', { name: 'Search by name' }).click()
    assert.strictEqual(await page.evaluate('document.activeElement.id'), 'search')
    await page.goto(`${stack.address}/#/insider/1`)
    await page.getByText('No insider has the CIK 1').waitFor()
    await page.goto(`${stack.address}/#/nowhere`)
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor()
  })

  it('shows a company as it was known at the end of a day, and says so', async () => {
    const { page, faults } = await open('/#/company/EXWI?years=all')
    const present = await feedIds('&tickers=EXWI')
    await hasRows(page, present)
    await page.getByLabel('As known on').fill('2026-11-05')
    await page.getByText('As known at the end of 2026-11-05 in New York').waitFor()
    assert.match(page.url(), /#\/company\/EXWI\?years=all&asOf=2026-11-05$/)
    // New York is on standard time again.
    const asOf = '2026-11-06T04:59:59Z'
    const then = await feedIds(`&tickers=EXWI&asOf=${asOf}`)
    assert.notDeepEqual(then, present)
    await hasRows(page, then)
    const company = await api(`/v1/companies/EXWI?detail=full&asOf=${asOf}`)
    await page.getByText(many(company.totalBuys, 'buy'), { exact: true }).waitFor()
    await page.getByText(many(company.totalSells, 'sell'), { exact: true }).waitFor()
    const { signals } = await api(`/v1/signals?tickers=EXWI&asOf=${asOf}`)
    await hasTexts(
      page.locator('.signals .said'),
      signals.map(({ description }: any) => description),
    )
    assert.isNotEmpty(signals)
    await page.getByText('As an API request').click()
    const shown = await page.locator('.code pre').first().innerText()
    const path = new URL(/'(.*)'/.exec(shown)![1]!)
    assert.deepEqual(await api(path.pathname + path.search), company)
    assert.deepEqual((await axeFindings(page)).findings, [])
    await page.setViewportSize({ width: 320, height: 800 })
    await assertFits(page, 'a company as of a day')
    const answered = page.waitForResponse(
      (response) => /\/v1\/signals\?/.test(response.url()) && response.url().includes('asOf=2026-11-02T'),
    )
    await page.getByLabel('As known on').fill('2026-11-01')
    await page.getByText('As known at the end of 2026-11-01 in New York').waitFor()
    await hasRows(page, await feedIds('&tickers=EXWI&asOf=2026-11-02T04:59:59Z'))
    assert.deepEqual((await (await answered).json()).data.signals, [])
    await hasTexts(page.locator('.signals .said'), [])
    await page.getByRole('link', { name: 'Show the present' }).click()
    await hasRows(page, present)
    assert.strictEqual(await page.getByText('As known at the end of').count(), 0)
    assert.strictEqual(await page.getByLabel('As known on').inputValue(), '')
    assert.deepEqual(faults, [])
  })

  it('watches with a key, sends a test event, shows its delivery, and forgets the key', async () => {
    const { json } = await stack.make('key', { NAME: 'page' })
    const key = json!.key as string
    const { page, faults } = await open('/#/watchlist?add=EXWI')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Nothing is watched yet.').waitFor()
    await page.getByLabel('Send alerts to').fill(receiver.url)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('EXWI is watched.').waitFor()
    await page.getByText('alerts to 127.0.0.1').waitFor()
    await page.getByRole('button', { name: 'Send a test event of EXWI' }).click()
    await page.getByText(/^Test delivered: status 20\d/).waitFor()
    const delivery = page.locator('[data-delivery]')
    for (const end = Date.now() + 20_000; Date.now() < end; await page.waitForTimeout(200)) {
      if ((await delivery.innerText()).includes('delivered')) break
      await page.getByRole('button', { name: 'Refresh' }).click()
    }
    assert.match(
      await delivery.innerText(),
      /Test event\s+EXWI\s+delivered to 127\.0\.0\.1.*, 1 attempt, status 20\d after \d+ ms/,
    )
    await delivery.locator('.opener').click()
    await delivery.locator('ol li').waitFor()
    const body = () => page.getByRole('region', { name: 'Body as sent' }).innerText()
    assert.deepEqual(JSON.parse(await body()), receiver.receipts.at(-1)!.json)
    await delivery.locator('.opener').click()
    const filed = trade('0001999001-26-000190', 190)
    await ingest('alert', { ...filed, acceptedAt: new Date().toISOString().replace(/\D/g, '').slice(0, 8) + '000100' })
    const alert = page.locator('[data-delivery]', { hasText: 'New filing' })
    for (
      const end = Date.now() + 20_000;
      Date.now() < end && !(await alert.isVisible());
      await page.waitForTimeout(200)
    )
      await page.getByRole('button', { name: 'Refresh' }).click()
    await alert.locator('.opener').click()
    await alert.getByRole('link', { name: filed.accession! }).waitFor()
    assert.match(
      await alert.innerText(),
      /New filing\s+EXWI[^]*Example Widgets Inc, filing 0001999001-26-000190, 1 trade/,
    )
    assert.deepEqual(JSON.parse(await body()).data.accessionNumber, filed.accession)
    await page.getByRole('combobox', { name: 'Company' }).fill('EXGD')
    await page.getByLabel('Send alerts to').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('EXGD is watched, without alerts.').waitFor()
    await page.getByText('no address for alerts').waitFor()
    assert.strictEqual(await page.getByRole('button', { name: 'Send a test event of EXGD' }).count(), 0)
    assert.strictEqual(await page.getByRole('button', { name: 'Send a test event of EXWI' }).count(), 1)
    await page.getByRole('button', { name: 'Remove EXGD' }).click()
    await page.getByText('EXGD is no longer watched.').waitFor()
    await page.getByRole('button', { name: 'given up' }).click()
    await page.getByText('No deliveries.').waitFor()
    await page.getByRole('button', { name: 'all', exact: true }).click()
    await page.locator('section .tools select').selectOption('EXWI')
    await delivery.first().waitFor()
    await page.reload()
    await page.getByText('EXWI', { exact: true }).first().waitFor()
    // Known of the entries themselves, not of what was done on this page.
    await page.getByText('alerts to 127.0.0.1').waitFor()
    const { findings } = await axeFindings(page)
    assert.deepEqual(findings, [])
    await page.getByRole('button', { name: 'Remove EXWI' }).click()
    await page.getByText('EXWI is no longer watched.').waitFor()
    await page.getByRole('button', { name: 'Forget the key' }).click()
    await page.getByLabel('API key').waitFor()
    const kept = await page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')
    assert.notInclude(kept, 'itd_')
    assert.isFalse(asked.some((url) => url.includes('itd_')))
    assert.notInclude(readFileSync(join(stack.dataDir, 'logs/service.log'), 'utf8'), key.split('_')[2]!)
    assert.deepEqual(faults, [])
  })

  it('makes a rule of the filters, previews, tests and edits it, and shows what was sent for it', async () => {
    const { json } = await stack.make('key', { NAME: 'rules' })
    const rules = async () => {
      const headers = { authorization: `Bearer ${json!.key}` }
      const answer = await fetch(`${stack.address}/v1/alerts`, { headers })
      return ((await answer.json()) as any).data.alerts
    }
    const acceptedAt = new Date().toISOString().replace(/\D/g, '').slice(0, 8) + '000100'
    await ingest('previewed', { ...trade('0001999001-26-000191', 191), acceptedAt })
    const { page, faults } = await open('/#/?tickers=EXWI&filter=buys&filedFrom=2026-01-01')
    await page.getByRole('link', { name: 'Alert me on this' }).click()
    await page.getByText('make key NAME=me').waitFor()
    await page.getByLabel('API key').fill(json!.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Left out, since rules have none of it: filed from.').waitFor()
    assert.strictEqual(await page.getByLabel('Types', { exact: true }).inputValue(), 'buy')

    const name = `Widgets ${MARKUP}`
    const save = () => page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Send to').fill('http://192.168.0.1/rule')
    await save()
    const refusal = page.getByRole('alert')
    await refusal.waitFor()
    assert.strictEqual(await refusal.count(), 1)
    assert.lengthOf((await refusal.innerText()).match(/public|internet/g) ?? [], 1, await refusal.innerText())
    assert.deepEqual(await rules(), [])
    await page.getByLabel('Send to').fill(`${receiver.url}/rule`)
    await save()
    await page.getByText(`${name} is saved and off.`).waitFor()
    assert.strictEqual(await refusal.count(), 0)
    const [saved] = await rules()
    assert.deepInclude(saved, { name, enabled: false, filter: { tickers: ['EXWI'], transactionTypes: ['buy'] } })
    const line = page.locator(`[data-alert="${saved.id}"]`)
    await line.getByText('No match yet.').waitFor()
    await line.locator('tr[data-id^="0001999001-26-000191"]').waitFor()

    await line.getByRole('switch', { name }).click()
    await line.getByText('is on.').waitFor()
    assert.isTrue((await rules())[0].enabled)
    receiver.answer = (_receipt, response) => void response.writeHead(500).end(MARKUP)
    await line.getByRole('button', { name: `Test ${name}` }).click()
    await line.getByText(/^Test waiting: status 500 after \d+ ms, and the receiver said: <img/).waitFor()
    await line.getByText(/failing since .*500/).waitFor()
    receiver.answer = null
    await line.getByRole('button', { name: `Test ${name}` }).click()
    await line.getByText(/^Test delivered: status 204 after \d+ ms$/).waitFor()
    await line.getByText('failing').waitFor({ state: 'detached' })

    const filed = trade('0001999001-26-000192', 192)
    await ingest('alerted', { ...filed, acceptedAt })
    const delivery = page.locator('[data-delivery]', { hasText: 'New filing' })
    const isDelivered = async () => (await delivery.count()) === 1 && /delivered/.test(await delivery.innerText())
    for (const end = Date.now() + 20_000; Date.now() < end && !(await isDelivered()); await page.waitForTimeout(200))
      await page.getByRole('button', { name: 'Refresh' }).click()
    await delivery.locator('.opener').click()
    await delivery.getByRole('link', { name: filed.accession! }).waitFor()
    const sent = receiver.receipts.find(({ json: { data } }) => data?.accessionNumber === filed.accession)!
    assert.deepEqual([sent.path, sent.json.data.matched], ['/rule', [{ kind: 'alert', id: saved.id, name }]])
    assert.deepEqual(JSON.parse(await page.getByRole('region', { name: 'Body as sent' }).innerText()), sent.json)

    await page.reload()
    await line.getByText(/Last match/).waitFor()
    await line.getByRole('button', { name: `Edit ${name}` }).click()
    await page.setViewportSize({ width: 320, height: 800 })
    await line.locator('.opener').click()
    await line.locator('tr[data-id]').first().waitFor()
    await assertFits(page, 'a rule that is edited')
    const { findings, passed } = await axeFindings(page)
    assert.deepEqual(findings, [])
    assert.isAbove(passed, 20)
    await line.getByLabel('Value at least ($)').fill('1000000')
    await line.getByLabel('New filing').uncheck()
    await line.getByLabel('Signal detected').uncheck()
    await line.getByRole('button', { name: 'Save' }).click()
    await refusal.getByText(/events/).waitFor()
    assert.strictEqual(await refusal.count(), 1)
    await line.getByLabel('New filing').check()
    await line.getByRole('button', { name: 'Save' }).click()
    await line.getByText('Saved.').waitFor()
    await line.getByText('Matches of the past week: 0 trades, 0 signals').waitFor()
    const { health: _, lastMatchedAt: _l, updatedAt: _u, ...edited } = (await rules())[0]
    const { health: _h, lastMatchedAt: _m, updatedAt: _v, ...first } = saved
    assert.deepEqual(edited, {
      ...first,
      enabled: true,
      events: ['transaction.created'],
      filter: { ...first.filter, minValue: 1_000_000 },
    })
    await line.getByRole('switch', { name }).click()
    await line.getByText('is off.').waitFor()
    assert.isFalse((await rules())[0].enabled)
    await line.getByRole('button', { name: `Delete ${name}` }).click()
    await page.getByText(`${name} is deleted.`).waitFor()
    await page.getByText('No rules yet.').waitFor()
    assert.deepEqual(await rules(), [])
    assert.strictEqual(await page.locator('img[src=x]').count(), 0)
    assert.deepEqual(
      faults.filter((fault) => !/status of 4(00|22)/.test(fault)),
      [],
    )
  })

  it('shows the market as the API sums it up, and keeps its choices in the address', async () => {
    const { page, faults } = await open('/#/market')
    const rows = async () => {
      const table = page.locator('details:has-text("Numbers by") table')
      if (!(await table.isVisible())) await page.getByText(/^Numbers by/).click()
      return table.locator('tbody tr').evaluateAll((all: any[]) => all.map((row) => row.innerText.split('\t')))
    }
    await page.locator('.plot svg').waitFor()
    const { points } = await api(`/v1/sentiment?from=${fiveYearsAgo()}&plan10b51=no,unknown`)
    const shown = await rows()
    assert.lengthOf(shown, points.length)
    for (const [index, [month, buyers, sellers]] of shown.toReversed().entries()) {
      const point = points[index]
      assert.deepEqual([month, buyers, sellers], [point.start.slice(0, 7), `${point.buyers}`, `${point.sellers}`])
    }
    const traded = points.filter(({ buyers, sellers }: any) => buyers + sellers > 0)
    assert.isAbove(traded.length, 0)

    await page.getByRole('link', { name: 'week', exact: true }).click()
    await page.getByText('Numbers by week').waitFor()
    await page.getByLabel('Sector', { exact: true }).selectOption('Energy')
    await page.waitForURL(/interval=week&years=5&sector=Energy/)
    await page.getByText('Numbers by week').waitFor()
    assert.strictEqual(await page.getByLabel('Sector', { exact: true }).inputValue(), 'Energy')
    await page.getByText('As an API request').click()
    assert.include(await page.locator('pre').first().innerText(), '/v1/sentiment?interval=week&from=')
    assert.deepEqual(faults, [])
  })

  it('leads from the market to the month files', async () => {
    const { status, stderr } = await stack.make('exports')
    assert.strictEqual(status, 0, stderr)
    const { page, faults } = await open('/#/market')
    const links = page.getByRole('region', { name: 'Month files' }).locator('tbody a')
    await links.first().waitFor()
    const shown = await links.evaluateAll((all: any[]) => all.map(({ href }) => href as string))
    const { datasets } = await api('/v1/exports')
    const made = datasets.filter(({ files }: any) => files > 0)
    assert.isAbove(made.length, 4)
    assert.deepEqual(
      shown,
      made.map(({ url }: any) => stack.address + url),
    )
    for (const href of shown) assert.strictEqual((await fetch(href)).status, 200, href)
    assert.deepEqual(faults, [])
  })

  it('sums up the months of a company with more trades than a picture is made of', async () => {
    const issuer = { cik: '0001999660', name: 'Large Example Inc', tickerRaw: 'LARG' }
    const filings = Array.from({ length: 4 }, (_, number): FilingSpec => ({
      accession: `0001999660-26-00000${number}`,
      acceptedAt: `2026110${number + 3}170000`,
      issuer,
      rows: Array.from({ length: 290 }, (_row, row) => ({
        shares: String(100 + number * 300 + row),
        price: '10',
        date: `2026-10-0${number + 1}`,
      })),
    }))
    await ingest('large', ...filings)
    const { page, faults } = await open('/#/company/LARG')
    await page.getByText('These are the newest 1,000 trades; the months below have all.').waitFor()
    assert.isAtMost(await page.locator('[data-mark]').count(), 1_000)
    await page.getByText('each transaction counts, in all of these years').waitFor()
    await page.getByText('Numbers by month').click()
    assert.include(await page.locator('details table tbody tr', { hasText: '2026-10' }).innerText(), '1160')
    assert.deepEqual(faults, [])
  })

  it('refuses markup made from text, inline style and other addresses, and the tests see it', async () => {
    const { page, faults } = await open()
    const tries = [
      "document.body.insertAdjacentHTML('beforeend', '<b>x</b>')",
      "document.body.appendChild(document.createElement('script')).text = 'document.title = 1'",
      "document.body.appendChild(document.createElement('div')).setAttribute('style', 'color: red')",
      "fetch('http://127.0.0.2:9/').catch(() => {})",
    ]
    for (const attempt of tries) {
      const seen = faults.length
      await page.evaluate(`(() => { try { ${attempt} } catch (error) { console.error(error.message) } })()`)
      for (const end = Date.now() + 5_000; faults.length === seen && Date.now() < end;) await page.waitForTimeout(20)
      assert.isAbove(faults.length, seen, attempt)
    }
    assert.strictEqual(await page.title(), 'Insider trades')
  })

  // Colours differ by theme and layout by width: the first two looks cover both.
  const looks = [
    ['light', 320],
    ['dark', 1280],
    ['light', 390],
    ['light', 1280],
    ['dark', 320],
    ['dark', 390],
  ] as const
  const pages = [
    ['the feed', '/#/?tickers=EXWI,ACME', 'tr[data-id]'],
    ['the list of signals', '/#/signals', 'tr[data-signal]'],
    ['a signal', '/#/signal/{cluster}', 'tr[data-reason]'],
    ['a filing', '/#/filing/0001999777-26-000001', '.facts'],
    ['a company', '/#/company/EXWI', '.lanes svg'],
    ['an insider', '/#/insider/0001999105', '.lanes svg'],
    ['the page of the rules', '/#/rules', 'section'],
    ['the page of the market', '/#/market', '.plot svg'],
    ['the sign-in of the watchlist', '/#/watchlist', '.sign-in'],
  ] as const
  for (const [place, [name, path, ready]] of pages.entries()) {
    it(`${name} meets WCAG 2.2 AA and fits, light and dark, from 320 pixels`, async () => {
      const [{ id }] = (await api('/v1/signals?type=cluster_buy&tickers=CLUS')).signals
      const { page } = await open(path.replace('{cluster}', id))
      await page.locator(ready).first().waitFor()
      for (const [look, [colorScheme, width]] of looks.slice(0, LOOKS).entries()) {
        const what = `${path} ${colorScheme} ${width}`
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.setViewportSize({ width, height: 800 })
        await assertFits(page, what)
        // With one check, every other page has it in light and narrow, the rest in dark and wide.
        if (look > 1 || (AXE_CHECKS === 1 && look !== place % 2)) continue
        const { findings, passed } = await axeFindings(page)
        assert.deepEqual(findings, [], what)
        assert.isAbove(passed, 20)
      }
    })
  }
})
