// What insiders hold, on the page of an insider and of a company, against what the API answers.
import { assert } from 'chai'
import { assertFits, axeFindings } from '../../support/browser.ts'
import { MARKUP, useDashboard } from '../../support/dashboard.ts'
import { row } from '../../support/filings/evidence.ts'
import type { FilingSpec } from '../../support/filings/filing-builder.ts'

const ISSUER = { cik: '0001999800', name: `Held ${MARKUP} Inc`, tickerRaw: 'HELD' }
const ADA = { cik: '0001999801', name: 'HOLDER ADA', isOfficer: true }
const FUND = [
  { cik: '0001999802', name: 'Invented Fund LP', isTenPercentOwner: true },
  { cik: '0001999803', name: 'Invented GP LLC', isTenPercentOwner: true },
]

/** A filing of HELD, accepted in the evening of a day. */
function filed(number: number, day: string, rows: string[], more: FilingSpec = {}): FilingSpec {
  const own = rows.map((each) => row(each))
  return {
    accession: `0001999800-26-${String(number).padStart(6, '0')}`,
    acceptedAt: `${day.replaceAll('-', '')}170000`,
    periodOfReport: day,
    signatures: [{ date: day }],
    issuer: ISSUER,
    owners: [ADA],
    rows: own.map((each) => (each.kind === 'transaction' ? { ...each, date: day } : each)),
    ...more,
  }
}

const options = { date: '2024-05-06', code: 'A', sharesAfter: '9000', conversionPrice: '5', shares: '9000' }
const HISTORY: FilingSpec[] = [
  filed(1, '2023-05-02', ['→10000', `→5000 I By ${MARKUP}`], { formType: '3' }),
  filed(2, '2024-05-06', [], {
    rows: [row('S D 4000 →6000', { date: '2024-05-06', securityTitle: 'Common Shares, no par value' })],
    derivativeRows: [options],
  }),
  filed(3, '2026-11-03', ['P A 500 →6500']),
  filed(4, '2026-11-04', ['P A 100 →900000'], { owners: FUND }),
  ...Array.from({ length: 11 }, (_, each) =>
    filed(10 + each, '2026-11-05', [`→${100 + each}`], {
      formType: '3',
      owners: [{ cik: `00019998${30 + each}`, name: `MEMBER NUMBER${'ABCDEFGHIJK'[each]}`, isDirector: true }],
    }),
  ),
]

describe('positions in the dashboard', function () {
  this.timeout(300_000)
  const { started, open, ingest, api } = useDashboard()
  before(() => ingest('positions', ...HISTORY))

  const cellsOf = (rows: any) =>
    rows.evaluateAll((all: any[]) => all.map((each) => [...each.cells].map((cell: any) => cell.innerText)))

  it('are shown by class with their lines, derivatives apart, and over time', async () => {
    const { page, faults } = await open(`/#/insider/${ADA.cik}`)
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'What is held' }) })
    const table = section.getByRole('table', { name: 'Held at HELD' })
    await table.waitFor()
    const [company] = (await api(`/v1/insiders/${ADA.cik}/positions`)).companies
    assert.deepInclude(company.classes[0], { direct: 6_500, indirect: 5_000, total: 11_500, confidence: 'medium' })
    const rows = table.locator('tbody > tr')
    assert.deepEqual(await cellsOf(rows), [
      [company.classes[0].securityTitle, '6,500', '5,000', '11,500', 'medium', company.classes[0].staleSince],
    ])
    assert.isFalse(await page.getByText('not restated with').isVisible())
    await table.getByRole('button', { name: company.classes[0].securityTitle }).press('Enter')
    const lines = section.getByRole('table', { name: 'Lines of this class' }).locator('tbody > tr')
    await lines.nth(1).waitFor()
    assert.deepEqual(
      (await cellsOf(lines)).map((cells: string[]) => cells.slice(0, 4)),
      [
        ['directly', '6,500', 'as reported', '2026-11-03'],
        [`indirectly: By ${MARKUP}`, '5,000', 'not restated with the trade of 2026-11-03', '2023-05-02'],
      ],
    )
    assert.strictEqual(await page.locator('main img').count(), 0)
    const derivatives = section.getByRole('table', { name: 'Derivatives at HELD' })
    assert.isFalse(await derivatives.isVisible())
    await section.getByText('Options and other derivatives (1), in no total').click()
    assert.deepEqual((await cellsOf(derivatives.locator('tbody > tr')))[0].slice(0, 4), [
      ...['Stock Option (right to buy)', 'directly', '9,000', '$5.00'],
    ])
    // 15,000 by Form 3, 11,000 after the sale of 2024, 11,500 now: one line, whatever the spelling of the class.
    const picture = section.getByRole('img', { name: /^Total held at the ends of years/ })
    await picture.waitFor()
    const [from, to] = ['15,000 in 2023', `11,500 in ${new Date().getUTCFullYear()}`]
    assert.strictEqual(await picture.count(), 1)
    assert.include(await picture.getAttribute('aria-label'), `HELD Common Stock: ${from} → ${to}`)
    assert.deepEqual(faults, [])
  })

  it('are shown of the holders of a company, groups once, ten at first, as of a day', async () => {
    const { page, faults } = await open('/#/company/HELD')
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Insiders’ holdings' }) })
    const rows = section.locator('tbody > tr')
    await rows.nth(9).waitFor()
    const [held] = (await api('/v1/companies/HELD/holders?limit=100')).classes
    assert.strictEqual(held.holderCount, 13)
    await section.getByRole('heading', { name: `${held.securityTitle} 912,655 of 13 holders` }).waitFor()
    const cells = await cellsOf(rows)
    assert.lengthOf(cells, 10)
    assert.deepEqual(
      cells.slice(0, 2).map((each: string[]) => each.slice(0, 5)),
      [
        ['Invented Fund LP with Invented GP LLC', '900,000', '0', '900,000', 'medium'],
        ['Ada Holder', '6,500', '5,000', '11,500', 'medium'],
      ],
    )
    await section.getByRole('button', { name: '3 more holders' }).click()
    await rows.nth(12).waitFor()
    await section.getByRole('link', { name: 'Ada Holder' }).click()
    await page.getByRole('heading', { name: 'What is held' }).waitFor()
    await page.goto(`${started().address}/#/company/HELD?asOf=2024-12-31`)
    await section.getByRole('heading', { name: /11,000 of 1 holder$/ }).waitFor()
    assert.deepEqual(await cellsOf(rows), [['Ada Holder', '6,000', '5,000', '11,000', 'medium', '2024-05-06']])
    assert.deepEqual(faults, [])
  })

  it('stay away where nothing is known of them', async () => {
    await ingest('none', {
      accession: '0001999850-26-000001',
      acceptedAt: '20261106170000',
      issuer: { cik: '0001999850', name: 'Bare Example Inc', tickerRaw: 'BARE' },
      owners: [{ cik: '0001999851', name: 'NOBODY NED', isDirector: true }],
      rows: [{ date: '2026-11-05', code: 'S', acquiredDisposed: 'D', shares: '700', sharesAfter: '0' }],
    })
    const { page, faults } = await open('/#/rules')
    await Promise.all([
      page.waitForResponse(/\/v1\/companies\/BARE\/holders/),
      page.goto(`${started().address}/#/company/BARE`),
    ])
    await page.locator('tr[data-id]').waitFor()
    assert.strictEqual(await page.getByText('Insiders’ holdings').count(), 0)
    assert.deepEqual(faults, [])
  })

  for (const [path, name] of [
    [`/#/insider/${ADA.cik}`, 'What is held'],
    ['/#/company/HELD', 'Insiders’ holdings'],
  ] as const) {
    it(`${path} meets WCAG 2.2 AA and fits, light and dark, from 320 pixels`, async () => {
      const { page } = await open(path)
      const section = page.locator('section', { has: page.getByRole('heading', { name }) })
      await section.locator('tbody > tr').first().waitFor()
      for (const opener of await section.locator('.opener').all()) await opener.click()
      for (const [colorScheme, width] of [
        ['light', 320],
        ['dark', 1280],
      ] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.setViewportSize({ width, height: 800 })
        await assertFits(page, `${path} ${colorScheme} ${width}`)
        const { findings, passed } = await axeFindings(page)
        assert.deepEqual(findings, [], `${path} ${colorScheme} ${width}`)
        assert.isAbove(passed, 20)
      }
    })
  }
})
