// What EDGAR lists: its current feed and its indexes, the real ones and what could come of them.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import { UnexpectedContent } from '../../../../../src/infrastructure/edgar/response-content.ts'
import {
  currentFeedPath,
  parseCurrentFeed,
  type CurrentFeedPage,
} from '../../../../../src/infrastructure/edgar/listings/current-feed.ts'
import { dailyIndexPath, parseIndex, type Index } from '../../../../../src/infrastructure/edgar/listings/daily-index.ts'

const edgar = fileURLToPath(new URL('../../../../../../shared/edgar/', import.meta.url))
const present = existsSync(`${edgar}atom`) && existsSync(`${edgar}index`)
const unlessPresent = present ? '' : ' (skipped: ../shared/edgar is not here)'
const real = (path: string): Buffer => readFileSync(edgar + path)

const feed = (...entries: string[]): Buffer =>
  Buffer.from(
    '<?xml version="1.0" encoding="ISO-8859-1" ?>\n' +
      `<feed xmlns="http://www.w3.org/2005/Atom">\n${entries.join('')}</feed>\n`,
    'latin1',
  )

interface Parts {
  title?: string
  href?: string
  id?: string
  term?: string
  updated?: string
}

function entry(parts: Parts = {}): string {
  const {
    term = '4',
    title = `${term} - EXEMPLAR CLARA (0001999101) (Reporting)`,
    updated = '2026-11-06T18:02:30-05:00',
    href = 'https://www.sec.gov/Archives/edgar/data/1999101/000199900126000005/0001999001-26-000005-index.htm',
    id = 'urn:tag:sec.gov,2008:accession-number=0001999001-26-000005',
  } = parts
  return (
    `<entry>\n<title>${title}</title>\n<link rel="alternate" type="text/html" href="${href}"/>\n` +
    `<updated>${updated}</updated>\n<category label="form type" term="${term}"/>\n<id>${id}</id>\n</entry>\n`
  )
}

const THE_FILING = {
  accession: '0001999001-26-000005',
  formType: '4',
  cik: '0001999101',
  acceptedAt: Date.UTC(2026, 10, 6, 23, 2, 30) / 1000,
  path: 'edgar/data/1999101/000199900126000005/0001999001-26-000005.txt',
}

describe(`current feed of EDGAR, real pages${unlessPresent}`, function () {
  before(function () {
    if (!present) this.skip()
  })

  const FILES: [name: string, entries: number, filings: number][] = [
    ['candlechaser-edgar_current-20260611.atom', 40, 12],
    ['getcurrent-type4-20251212T1803ET-start0-http200.atom', 100, 46],
    ['getcurrent-type4-20251212T1803ET-start100-http200.atom', 100, 36],
    ['getcurrent-type4-20251212T1803ET-start200-http200.atom', 100, 43],
    ['getcurrent-type4-20251212T1803ET-start1000-http200.atom', 100, 41],
    ['getcurrent-type4-20251212T1803ET-start5000-http200.atom', 100, 32],
  ]
  for (const [name, entries, filings] of FILES) {
    it(`finds ${filings} filings in ${entries} entries of ${name}`, () => {
      const page = parseCurrentFeed(real(`atom/${name}`))
      assert.deepEqual(
        { entries: page.entries, filings: page.filings.length, unreadable: page.unreadable },
        { entries, filings, unreadable: 0 },
      )
      for (const filing of page.filings) {
        assert.include(['4', '4/A'], filing.formType)
        const path = /^edgar\/data\/(\d+)\/(\d{18})\/(\d{10}-\d\d-\d{6})\.txt$/.exec(filing.path)
        const { cik, accession } = filing
        assert.deepEqual(path?.slice(1), [String(Number(cik)), accession.replaceAll('-', ''), accession])
      }
      // Newest first, as EDGAR lists them.
      const times = page.filings.map(({ acceptedAt }) => acceptedAt!)
      assert.deepEqual(
        times,
        [...times].sort((a, b) => b - a),
      )
    })
  }

  it('reads what an entry says', () => {
    assert.deepEqual(parseCurrentFeed(real(`atom/${FILES[1]![0]}`)).filings[0], {
      accession: '0002063236-25-000004',
      formType: '4',
      cik: '0002063236',
      acceptedAt: Date.UTC(2025, 11, 12, 23, 2, 43) / 1000,
      path: 'edgar/data/2063236/000206323625000004/0002063236-25-000004.txt',
    })
  })

  it('refuses the page that ends the feed', () => {
    assert.throws(
      () => parseCurrentFeed(real('atom/getcurrent-type4-20251212T1803ET-start5100-http503.html')),
      UnexpectedContent,
      'no Atom feed: the HTML page "SEC.gov | File Unavailable"',
    )
  })
})

describe('the current feed of EDGAR, invented', () => {
  it('takes exactly the wanted forms, each filing once', () => {
    const forms = ['424B2', '497', '485BPOS', '40-APP/A', '425', '4/A', '4', '4', '3']
    const page = parseCurrentFeed(
      feed(
        ...forms.map((term, index) => {
          const serial = String(Math.min(index, 6)).padStart(6, '0')
          return entry({ term, id: `urn:tag:sec.gov,2008:accession-number=0001999001-26-${serial}` })
        }),
      ),
    )
    assert.deepEqual([page.entries, page.unreadable], [9, 0])
    assert.deepEqual(
      page.filings.map(({ accession, formType }) => [accession, formType]),
      [
        ['0001999001-26-000005', '4/A'],
        ['0001999001-26-000006', '4'],
      ],
    )
    assert.deepEqual(parseCurrentFeed(feed(entry({ term: '3' })), new Set(['3'])).filings[0]?.formType, '3')
  })

  it('bears bare ampersands, Latin-1, a byte order mark and brackets in names', () => {
    const page = parseCurrentFeed(feed(entry({ title: '4 - EXEMPLE & F\xE9E (MID) (0001999101) (Reporting)' })))
    assert.deepEqual(page.filings, [THE_FILING])
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), feed(entry())])
    assert.deepEqual(parseCurrentFeed(marked).filings, [THE_FILING])
  })

  it('reads an entry whose id, link or time has changed its shape', () => {
    const changed: [Parts, Partial<typeof THE_FILING> | { acceptedAt: null }][] = [
      [{ id: 'urn:something-else' }, {}],
      [{ href: 'https://www.sec.gov/ix?doc=1' }, {}],
      [{ href: '/Archives/edgar/data/1999101/0001999001-26-000005-index.html' }, {}],
      [{ updated: '2026-11-06T23:02:30Z' }, {}],
      [{ updated: '2026-11-06T18:02:30' }, { acceptedAt: null }],
    ]
    for (const [parts, expected] of changed) {
      const { filings } = parseCurrentFeed(feed(entry(parts)))
      assert.deepEqual(filings, [{ ...THE_FILING, ...expected }], JSON.stringify(parts))
    }
  })

  it('takes the CIK from a title only as the last resort, and there the last one', () => {
    const title = '4 - EXAMPLE TRUST (1234567890) (0001999101) (Reporting)'
    assert.deepEqual(parseCurrentFeed(feed(entry({ title, href: 'elsewhere' }))).filings, [THE_FILING])
  })

  it('counts what it cannot make out', () => {
    const lost = entry({ id: 'urn:x', href: '/nothing', title: '4 - EXEMPLAR CLARA' })
    const page = parseCurrentFeed(feed(lost, entry(), lost))
    assert.deepEqual([page.filings.length, page.entries, page.unreadable], [1, 3, 2])
  })

  it('reads an empty feed, and refuses what is none or not whole', () => {
    assert.deepEqual(parseCurrentFeed(feed()), { filings: [], entries: 0, unreadable: 0 } satisfies CurrentFeedPage)
    const whole = feed(entry(), entry())
    const bad: [Buffer, RegExp][] = [
      [
        Buffer.from('\n<!DOCTYPE html><html><head><title>SEC.gov |\n Oops</title>'),
        /^no Atom feed: the HTML page "SEC.gov \| Oops"$/,
      ],
      [Buffer.from('<html></html>'), /^no Atom feed: an HTML page$/],
      [Buffer.from(''), /^no Atom feed: nothing$/],
      [Buffer.from('{"feed": 1}'), /^no Atom feed: begins with "\{\\"feed\\": 1\}"$/],
      [whole.subarray(0, whole.length - 20), /^no whole Atom feed/],
    ]
    for (const [bytes, message] of bad) assert.throws(() => parseCurrentFeed(bytes), UnexpectedContent, message)
  })

  it('is asked for by page', () => {
    assert.strictEqual(
      currentFeedPath(200),
      'cgi-bin/browse-edgar?action=getcurrent&type=4&owner=only&count=100&start=200&output=atom',
    )
  })
})

describe(`indexes of EDGAR, real files${unlessPresent}`, function () {
  before(function () {
    if (!present) this.skip()
  })

  const FILES: [name: string, filings: number, first: string | undefined][] = [
    ['form.20200318.idx', 991, 'edgar/data/1770787/0000899243-20-008928.txt'],
    ['company.20221003.idx', 1019, 'edgar/data/1222888/0001127602-22-023172.txt'],
    ['master.20181231.idx', 3, 'edgar/data/1000228/0001209191-18-064398.txt'],
    ['master-1993QTR4.idx', 0, undefined],
    ['badform.idx.txt', 0, undefined],
    ['empty-form.idx', 0, undefined],
  ]
  for (const [name, filings, first] of FILES) {
    it(`finds ${filings} filings in ${name}`, () => {
      const bytes = real(`index/${name}`)
      const index = parseIndex(bytes)
      assert.strictEqual(index.filings.length, filings)
      assert.strictEqual(index.unreadable, 0)
      assert.strictEqual(index.filings[0]?.path, first)
      const rows = bytes
        .toString('latin1')
        .split('\n')
        .filter((line) => line.includes('edgar/data/')).length
      assert.strictEqual(index.entries, rows)
      assert.strictEqual(new Set(index.filings.map(({ accession }) => accession)).size, filings)
    })
  }

  it('merges the lines of all parties: 2,074 lines are 991 filings', () => {
    const all = real('index/form.20200318.idx').toString('latin1').split('\n')
    const lines = all.filter((line) => /^4(\/A)? /.test(line))
    assert.lengthOf(lines, 2074)
    const named = new Set(lines.map((line) => /\d{10}-\d\d-\d{6}/.exec(line)![0]))
    const found = parseIndex(real('index/form.20200318.idx')).filings.map(({ accession }) => accession)
    assert.sameMembers(found, [...named])
  })

  it('finds other forms whose name has spaces', () => {
    const forms = parseIndex(real('index/badform.idx.txt'), new Set(['1-A POS', 'X-17A-5'])).filings
    assert.isAbove(forms.filter(({ formType }) => formType === '1-A POS').length, 0)
    assert.isAbove(forms.filter(({ formType }) => formType === 'X-17A-5').length, 0)
  })
})

describe('daily indexes of EDGAR, invented', () => {
  const DASHES = '-'.repeat(120)
  const index = (header: string, ...rows: string[]): Buffer =>
    Buffer.from(
      ['Description:  Daily Index of EDGAR Dissemination Feed by Form Type', ' ', header, DASHES, ...rows, ''].join(
        '\n',
      ),
      'latin1',
    )
  const FORM = `${'Form Type   Company Name'.padEnd(74)}CIK         Date Filed  File Name`
  const formRow = (form: string, name: string, path: string): string =>
    `${form.padEnd(12)}${name.padEnd(62)}1999001     20261106    ${path}         `
  const PATH = 'edgar/data/1999001/0001999001-26-000005.txt'
  const FILING = { accession: '0001999001-26-000005', formType: '4', cik: '0001999001', path: PATH }

  it('takes exactly the wanted forms, each filing once', () => {
    const rows = ['4', '4', '424B2', '4/A', '40-17G', 'SCHEDULE 13D/A'].map((form, place) =>
      formRow(form, 'Example  4  Widgets Inc', place === 3 ? PATH.replace('05.txt', '06.txt') : PATH),
    )
    const { filings, entries } = parseIndex(index(FORM, ...rows))
    assert.strictEqual(entries, 6)
    assert.deepEqual(filings, [
      FILING,
      {
        ...FILING,
        formType: '4/A',
        accession: '0001999001-26-000006',
        path: PATH.replace('05.txt', '06.txt'),
      },
    ])
  })

  it('reads a header broken over lines, names in Latin-1, carriage returns and paths with a folder', () => {
    const company = `${'Company Name'.padEnd(62)}Form Type   CIK\n      Date Filed  File Name`
    const inFolder = 'edgar/data/1999001/000199900126000005/0001999001-26-000005.txt'
    const row = `${'Exempl\xE9 Widgets  4'.padEnd(62)}4           1999001     20261106    ${inFolder}`
    const expected = { filings: [{ ...FILING, path: inFolder }], entries: 1, unreadable: 0 } satisfies Index
    assert.deepEqual(parseIndex(index(company, row)), expected)
    const returns = index(company, row).toString('latin1').replaceAll('\n', '\r\n')
    assert.deepEqual(parseIndex(Buffer.from(returns, 'latin1')), expected)
  })

  it('reads a master index, a bar in a name too', () => {
    const bytes = index(
      'CIK|Company Name|Form Type|Date Filed|File Name',
      `1999001|Exam|ple|4|20261106|${PATH}`,
      `1999001|Example|424B2|20261106|${PATH}`,
    )
    assert.deepEqual(parseIndex(bytes).filings, [FILING])
  })

  it('counts wanted rows without a path, and only those', () => {
    const page = parseIndex(
      index(
        FORM,
        formRow('4', 'Example Widgets Inc', 'edgar/data/1999001/0001999'),
        formRow('8-K', 'Example Widgets Inc', ''),
        formRow('4', 'Example Widgets Inc', PATH),
      ),
    )
    assert.deepEqual([page.filings, page.entries, page.unreadable], [[FILING], 3, 1])
  })

  it('refuses what is no index', () => {
    const bad: [string, RegExp][] = [
      [
        '<!DOCTYPE html>\n<html><title>SEC.gov | Request Rate Threshold Exceeded</title>',
        /^no index of EDGAR: the HTML page "SEC.gov \| Request Rate Threshold Exceeded"$/,
      ],
      ['', /^no index of EDGAR: nothing$/],
      ['Description:  Daily Index\n', /^no index of EDGAR: begins with "Description:/],
      [`${FORM}\n`, /^no index of EDGAR/],
      [`${DASHES}\n${formRow('4', 'Example', PATH)}\n`, /^no index of EDGAR/],
    ]
    for (const [text, message] of bad) assert.throws(() => parseIndex(Buffer.from(text)), UnexpectedContent, message)
  })

  it('is asked for by its day', () => {
    const paths: [day: string, path: string][] = [
      ['2026-11-06', '2026/QTR4/form.20261106.idx'],
      ['2026-01-02', '2026/QTR1/form.20260102.idx'],
      ['2025-06-30', '2025/QTR2/form.20250630.idx'],
      ['2025-07-01', '2025/QTR3/form.20250701.idx'],
    ]
    for (const [day, path] of paths) assert.strictEqual(dailyIndexPath(day), `Archives/edgar/daily-index/${path}`)
  })
})
