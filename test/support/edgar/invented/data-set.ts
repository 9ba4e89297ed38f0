// A big data set that the SEC never published: as many rows as wanted, written as text in seconds, to measure a bulk
// load with. A filing is what its number and the seed make of it, so one that amends or repeats another just makes it
// again and nothing has to be kept.
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as others } from 'node:timers/promises'
import { ZipFile } from 'yazl'
import { addDays, dayNumber, isBusinessDay } from '../../../../src/domain/shared/calendar.ts'
import {
  dataSetAmount as amount,
  dataSetDate,
  dataSetText,
  eachTable,
  headerOf,
  shuffle,
  TABLE_NAMES,
  writeZip,
  ZIPPED,
  type Quotes,
  type TableName,
} from './data-set-files.ts'
import { FIRST_CIK, issuerName, symbolOf, THINGS } from './data-set-issuers.ts'
import { hashOf, seeded, shareOf } from './seeded.ts'

export interface InventedDataSet {
  folder: string
  /** Such as `2024q3`. */
  quarter: string
  /** Of NONDERIV_TRANS, exactly; the other tables follow. */
  rows: number
  seed: number
  /** Default 8,000; at most 17,576, as symbols have three letters of their own. The same in every quarter of a seed. */
  issuers?: number
  /**
   * How unequal issuers are: 1, the default, gives all the same number of filings; 2 the largest of 8,000 ninety times
   * the mean.
   */
  skew?: number
  /** As many issuers which file this share (0 to 1) of everything together, the same number of filings each. */
  largest?: { issuers: number; share: number }
  /** Amendments of all filings, in hundredths. Default 3. */
  amendments?: number
  /** Share of the filings, 0 to 1, whose lines are returned as `repeated`, to be named by another quarter too. */
  repeated?: number
  /** Lines of another quarter's filings that this one names again; not counted as `rows`. */
  again?: Lines
  /** First and last filing date, `YYYY-MM-DD`. Default the quarter's. */
  from?: string
  to?: string
  /** Leaves the eight files in `<folder>/<quarter>_form345` beside the zip. */
  unpacked?: boolean
  /** Whether SUBMISSION has its last column. Default from 2025 on. */
  aff10b5One?: boolean
  /** Default `doubled`. */
  quotes?: Quotes
}

type Chance = () => number
type Counts = Record<TableName, number>
/** Lines without their end. */
type Lines = Record<TableName, string[]>
interface Owner {
  cik: number
  name: string
  relationship: string
  title: string
  text: string
}
/** Amounts in hundredths. Notes are footnote ids. */
interface Trade {
  code: string
  day: string
  shares: number
  price: number | null
  after: number
  strike: number | null
  codingNote: string
  priceNote: string
  indirect: boolean
}
interface Draft {
  /** Days are places in the list of business days. */
  form: string
  issuer: number
  filed: number
  original: number | null
  period: number
  owners: Owner[]
  trades: Trade[]
  held: number
  granted: boolean
  footnotes: string[]
  plan: string
  remarks: string
  symbol: string
}
type Role = 'ordinary' | 'amendment' | 'initial' | 'annual' | 'joint' | 'chain' | 'repeat'

/** Of all filings, in hundredths, beside amendments; `chain` is followed by `repeat`, the rest are ordinary Form 4s. */
const ROLES: [Role, number][] = [
  ['initial', 5],
  ['annual', 2],
  ['joint', 4],
  ['chain', 1],
]
/** What a Form 4 reports: weight, and code with the most rows of it. Together the shares of codes in real filings. */
const SHAPES: [weight: number, [code: string, most: number][]][] = [
  [
    19.4,
    [
      ['M', 1],
      ['F', 1],
    ],
  ],
  [
    8.6,
    [
      ['M', 1],
      ['S', 2],
    ],
  ],
  [15.3, [['S', 3]]],
  [31, [['A', 2]]],
  [13.2, [['F', 2]]],
  [9.5, [['P', 4]]],
  [3, [['G', 1]]],
]
/** What these come to, so that filings reach the last day with the last row. */
const ROWS_A_FILING = 1.758
/** Lines of different filings mix within so many, which bounds memory. */
const WINDOW = 2_000
const LAST_NAMES = [
  'SAMPLE',
  'SPECIMEN',
  'EXEMPLAR',
  'PLACEHOLDER',
  'MUSTERMANN',
  'FICTIVE',
  'INVENTED',
  "O'NOONE",
  'TESTERSON',
  'PROTOTYPE',
  'FACSIMILE',
  'DUMMETT',
  'IMAGINARY',
  'TEMPLATE',
  'HYPOTHESIS',
]
const FIRST_NAMES = ['Ada', 'Bruno', 'Clara', 'Dario', 'Edith', 'Felix', 'Greta', 'Hugo', 'Ines', 'Jonas', 'Karin']
const CHAIN = ['Partners L.P.', 'GP LLC', 'Management LLC', 'Capital Inc']
const TRUSTS = ['Family Trust', '"B" Trust', 'Trust II']
const TITLES = [
  ['Chief Executive Officer', 'President and CEO', 'CEO', 'Chairman & CEO', 'Pres. & Chief Exec. Officer'],
  ['Chief Financial Officer', 'EVP and CFO', 'CFO & Treasurer', 'SVP, CFO', 'Exec VP & Chief Financial Offi'],
  ['EVP, General Counsel', 'SVP, Sales', 'VP, Controller', 'Chief Operating Officer', 'Vice President'],
]
const SEATS = ['Director,Officer', 'Officer', 'Officer', 'Director', 'Director']
const SEE_REMARKS = ['See Remarks', 'See remarks below', 'SEE REMARKS']

/** Writes `<quarter>_form345.zip`; counts are lines without headers. About 370 bytes of disk a row while it writes. */
export async function writeInventedDataSet(
  wanted: InventedDataSet,
): Promise<{ path: string; counts: Counts; repeated: Lines }> {
  const { folder, quarter, rows, unpacked = false, aff10b5One = quarter >= '2025q1', again } = wanted
  const inventor = new Inventor(wanted)
  const inside = join(folder, `${quarter}_form345`)
  mkdirSync(inside, { recursive: true })
  try {
    const chance = seeded(hashOf(wanted.seed, quarter, 'lines'))
    const files = eachTable((table) => new MixedFile(join(inside, `${table}.tsv`), headerOf(table, aff10b5One), chance))
    const repeated = eachTable((): string[] => [])
    for (let number = 0; files.NONDERIV_TRANS.lines < rows; number += 1) {
      const draft = inventor.filing(number)
      draft.trades.length = Math.min(draft.trades.length, rows - files.NONDERIV_TRANS.lines)
      const isRepeated = inventor.isRepeated(number)
      inventor.write(number, draft, aff10b5One, (table, line) => {
        files[table].add(line)
        if (isRepeated) repeated[table].push(line)
      })
      if (number % 5_000 === 0) await others()
    }
    if (again) for (const table of TABLE_NAMES) for (const line of again[table]) files[table].add(line)
    for (const file of Object.values(files)) file.close()
    const zip = new ZipFile()
    const quickly = { ...ZIPPED, compressionLevel: 1 }
    for (const table of TABLE_NAMES) zip.addFile(join(inside, `${table}.tsv`), `${table}.tsv`, quickly)
    const counts = eachTable((table) => files[table].lines)
    return { path: await writeZip(folder, quarter, zip), counts, repeated }
  } finally {
    if (!unpacked) rmSync(inside, { recursive: true })
  }
}

/** Lines in an order that tells nothing, at most WINDOW of them in memory. */
class MixedFile {
  lines = 0
  readonly #file: number
  readonly #chance: Chance
  readonly #window: string[] = []
  #text: string

  constructor(path: string, header: string, chance: Chance) {
    this.#file = openSync(path, 'w')
    this.#chance = chance
    this.#text = `${header}\n`
  }

  add(line: string): void {
    this.lines += 1
    if (this.#window.length < WINDOW) return void this.#window.push(line)
    const place = Math.floor(this.#chance() * WINDOW)
    this.#text += `${this.#window[place]}\n`
    this.#window[place] = line
    if (this.#text.length < 1 << 18) return
    writeSync(this.#file, this.#text)
    this.#text = ''
  }

  close(): void {
    for (const line of shuffle(this.#window, this.#chance)) this.#text += `${line}\n`
    writeSync(this.#file, this.#text)
    closeSync(this.#file)
  }
}

class Inventor {
  readonly #set: Required<
    Omit<InventedDataSet, 'folder' | 'rows' | 'from' | 'to' | 'unpacked' | 'aff10b5One' | 'again'>
  > & {
    filings: number
  }
  /** Business days, and where among them the filing dates begin. */
  readonly #days: { date: string; text: string }[] = []
  readonly #first: number
  /** Falls with every row, in all tables together. */
  #key = 90_000_000

  constructor({ seed, quarter, rows, issuers = 8_000, skew = 1, quotes = 'doubled', ...others }: InventedDataSet) {
    const { largest = { issuers: 0, share: 0 }, amendments = 3, repeated = 0, ...dates } = others
    const [, year, place] = /^(\d{4})q([1-4])$/.exec(quarter) ?? []
    if (!year || issuers < 1 || issuers > 26 ** 3) throw new Error(`no such data set: ${quarter} of ${issuers} issuers`)
    const start = (quarters: number) =>
      `${Number(year) + Math.floor(quarters / 4)}-${String((quarters % 4) * 3 + 1).padStart(2, '0')}-01`
    const { from = start(Number(place) - 1), to = addDays(start(Number(place)), -1) } = dates
    // Of which at least 30 are business days, and trades lie at most 22 before their filing.
    for (let date = addDays(from, -48); date <= to; date = addDays(date, 1)) {
      if (isBusinessDay(date)) this.#days.push({ date, text: dataSetDate(date) })
    }
    this.#first = this.#days.findIndex(({ date }) => date >= from)
    if (this.#first < 0) throw new Error(`no business day from ${from} to ${to}`)
    const filings = Math.max(1, rows / ROWS_A_FILING)
    this.#set = { seed, quarter, issuers, skew, quotes, largest, amendments, repeated, filings }
  }

  isRepeated(number: number): boolean {
    const { seed, quarter, repeated } = this.#set
    return repeated > 0 && shareOf(seed, quarter, 'repeated', number) < repeated
  }

  filing(number: number): Draft {
    const role = this.#role(number)
    if (role === 'repeat') {
      const first = this.#draft(number - 1, 'chain')
      return { ...first, filed: this.#filed(number), owners: this.#fund(first.issuer).slice(1, 2) }
    }
    const original = role === 'amendment' ? this.#original(number) : null
    return original === null
      ? this.#draft(number, role === 'amendment' ? 'ordinary' : role)
      : this.#amended(this.#draft(original, this.#role(original)), number)
  }

  #role(number: number): Role {
    if (number > 0 && this.#drawn(number - 1) === 'chain' && this.#role(number - 1) === 'chain') return 'repeat'
    return this.#drawn(number)
  }

  #drawn(number: number): Role {
    let left = shareOf(this.#set.seed, this.#set.quarter, 'role', number) * 100 - this.#set.amendments
    if (left < 0) return 'amendment'
    return ROLES.find(([, weight]) => (left -= weight) < 0)?.[0] ?? 'ordinary'
  }

  /** A Form 4 filed in the sixth of the quarter before. */
  #original(number: number): number | null {
    const share = shareOf(this.#set.seed, this.#set.quarter, 'original', number)
    let original = number - 1 - Math.floor(share * Math.min(number, Math.max(60, this.#set.filings / 6)))
    while (original >= 0 && !['ordinary', 'joint'].includes(this.#role(original))) original -= 1
    return original < 0 ? null : original
  }

  #amended(before: Draft, number: number): Draft {
    const [first, ...others] = before.trades
    const trades = first ? [{ ...first, shares: Math.round(first.shares * 0.011) * 100 + 100 }, ...others] : []
    const remarks = `${before.remarks && `${before.remarks}. `}Corrects the number of shares in the "Original Form 4".`
    return { ...before, form: '4/A', trades, filed: this.#filed(number), original: before.filed, remarks }
  }

  #filed(number: number): number {
    const span = this.#days.length - this.#first
    return this.#first + Math.min(span - 1, Math.floor((number * span) / this.#set.filings))
  }

  #draft(number: number, role: Role): Draft {
    const chance = seeded(hashOf(this.#set.seed, this.#set.quarter, number))
    const issuer = this.#issuer(chance())
    const filed = this.#filed(number)
    const traded = filed - (chance() < 0.07 ? 3 + Math.floor(chance() * 20) : Math.floor(chance() * 2.6))
    const draft: Draft = {
      form: role === 'initial' ? '3' : role === 'annual' ? '5' : '4',
      issuer,
      filed,
      original: null,
      period: traded,
      owners: [],
      trades: [],
      held: 0,
      granted: false,
      footnotes: [],
      plan: '',
      remarks: '',
      symbol: typed(symbolOf(issuer), chance()),
    }
    const funds = role === 'chain' || (role === 'joint' && chance() < 0.5)
    this.#own(draft, role, funds, role === 'initial' ? [] : this.#trade(draft, role, funds, chance), chance)
    return draft
  }

  /** The first are the largest. */
  #issuer(drawn: number): number {
    const { largest, issuers, skew } = this.#set
    if (drawn < largest.share) return Math.floor((drawn / largest.share) * largest.issuers)
    const other = ((drawn - largest.share) / (1 - largest.share)) ** skew
    return largest.issuers + Math.floor(other * (issuers - largest.issuers))
  }

  /** Answers the codes traded. */
  #trade(draft: Draft, role: Role, funds: boolean, chance: Chance): string[] {
    let left = chance() * 100
    const shape =
      role === 'annual'
        ? [['G', 1] as const]
        : funds
          ? [[chance() < 0.6 ? 'P' : 'S', 4] as const]
          : (SHAPES.find(([weight]) => (left -= weight) < 0)?.[1] ?? SHAPES[0]![1])
    const { date, text: day } = this.#days[draft.period]!
    const base = 3 * Math.exp(shareOf(this.#set.seed, 'price', draft.issuer) * Math.log(370 / 3))
    const price = base * (1 + 0.2 * Math.sin(dayNumber(date) / 40 + draft.issuer))
    const noted = chance() < 0.36
    let after = 100 * spread(1_000, 900_000, chance)
    for (const [code, most] of shape) {
      const plan = code === 'S' && chance() < 0.4
      const [codingNote, priceNote] = noted ? notes(draft.footnotes, code, plan) : ['', '']
      for (let count = 1 + Math.floor(chance() * most); count > 0; count -= 1) {
        const shares = 100 * spread(funds ? 5_000 : 50, funds ? 900_000 : 40_000, chance) + (chance() < 0.03 ? 25 : 0)
        after = 'SFG'.includes(code) ? Math.max(0, after - shares) : after + shares
        const around = Math.max(1, Math.round(price * (99 + 2 * chance())))
        const strike = code !== 'M' ? null : chance() < 0.5 ? 0 : Math.round(around * (0.2 + 0.5 * chance()))
        const filed = 'AG'.includes(code) ? 0 : (strike ?? around)
        const trade = { code, day, shares, price: filed, after, strike, codingNote, priceNote, indirect: funds }
        draft.trades.push(trade)
        this.#spoil(trade, draft, chance)
      }
      if (plan) draft.plan = chance() < 0.8 ? '1' : 'true'
    }
    draft.plan ||= ['0', '0', 'false', ''][Math.floor(chance() * 4)]!
    draft.granted = shape[0]![0] === 'A' && chance() < 0.5
    return shape.map(([code]) => code)
  }

  /** What filers get wrong, or leave to a footnote. */
  #spoil(trade: Trade, draft: Draft, chance: Chance): void {
    if (chance() < 0.0005) {
      trade.day =
        chance() < 0.5
          ? trade.day.replace(/\d{4}$/, '0023')
          : dataSetDate(addDays(this.#days[draft.filed]!.date, 1 + Math.floor(chance() * 400)))
    }
    if (!trade.price) return
    if (chance() < 0.0007) trade.price = Math.round((trade.shares * trade.price) / 100)
    else if ('PSF'.includes(trade.code) && chance() < 0.015) {
      trade.price = null
      trade.priceNote = note(draft.footnotes, 'The price was not known when this was filed.')
    }
  }

  #own(draft: Draft, role: Role, funds: boolean, codes: string[], chance: Chance): void {
    const count = role === 'joint' ? 2 + Math.floor(chance() * 3) : 1
    if (funds) draft.owners = this.#fund(draft.issuer).slice(0, count)
    else {
      const seat = Math.floor(chance() * (codes.includes('M') || codes.includes('F') ? 3 : 5))
      const owner = this.#insider(draft.issuer, seat)
      if (owner.title && chance() < 0.043) {
        draft.remarks = owner.title
        owner.title = SEE_REMARKS[Math.floor(chance() * 3)]!
      }
      draft.owners = [owner, ...this.#fund(draft.issuer).slice(CHAIN.length, CHAIN.length + count - 1)]
    }
    if (!draft.remarks && chance() < 0.04) draft.remarks = 'The owners may be deemed members of a "group".'
    const held = chance()
    draft.held = role === 'initial' ? Math.floor(held * 2.9) : held < 0.25 ? 1 + Math.floor(held * 12) : 0
  }

  #insider(issuer: number, seat: number): Owner {
    const chance = seeded(hashOf(this.#set.seed, 'insider', issuer, seat))
    const of = <T>(list: readonly T[]) => list[Math.floor(chance() * list.length)]!
    const relationship = seat === 4 && chance() < 0.2 ? 'Director,TenPercentOwner' : SEATS[seat]!
    const name = `${of(LAST_NAMES)} ${of(FIRST_NAMES)} ${chance() < 0.02 ? '"Bit"' : 'ABCDEFGHIJ'[issuer % 10]}`
    const title = TITLES[seat] ? of(TITLES[seat]) : ''
    return { cik: 9_500_000 + issuer * 5 + seat, name, relationship, title, text: '' }
  }

  /** A fund's chain of four, then three trusts of insiders. */
  #fund(issuer: number): Owner[] {
    const name = `Example ${THINGS[(issuer + 7) % THINGS.length]} ${issuer}`
    return [...CHAIN, ...TRUSTS].map((kind, index) => ({
      cik: 9_600_000 + issuer * 7 + index,
      name: `${name} ${kind}`,
      title: '',
      ...(index < CHAIN.length
        ? { relationship: 'TenPercentOwner', text: '' }
        : { relationship: 'Other', text: 'Trust of an insider' }),
    }))
  }

  /** The lines of a filing; to be called in the order of numbers, as surrogate keys are counted. */
  write(number: number, draft: Draft, aff10b5One: boolean, add: (table: TableName, line: string) => void): void {
    const text = (typed: string) => dataSetText(typed, this.#set.quotes)
    const { form, issuer, trades, held } = draft
    const filed = this.#days[draft.filed]!.text
    const accession = this.#accession(number, draft.filed)
    const flags =
      form === '3'
        ? [held ? '0' : '1', '', '', '']
        : form === '5'
          ? ['', '0', '0', '0']
          : ['', number % 3 ? '0' : 'false', '', '']
    add(
      'SUBMISSION',
      [
        accession,
        filed,
        this.#days[draft.period]!.text,
        draft.original === null ? '' : this.#days[draft.original]!.text,
        ...flags,
        form,
        cikText(FIRST_CIK + issuer),
        text(issuerName(issuer)),
        draft.symbol,
        text(draft.remarks),
        ...(aff10b5One ? [draft.plan] : []),
      ].join('\t'),
    )
    for (const { cik, name, relationship, title, text: other } of draft.owners) {
      add(
        'REPORTINGOWNER',
        [
          accession,
          cikText(cik),
          text(name),
          relationship,
          title,
          other,
          '1 EXAMPLE STREET',
          '',
          'SAMPLEVILLE',
          'NY',
          '00000',
          '',
          '001-99999',
        ].join('\t'),
      )
      add('OWNER_SIGNATURE', [accession, text(`/s/ ${name}`), filed].join('\t'))
    }
    // From three rows on turned, so that the keys do not simply fall with the rows either.
    const turn = trades.length > 2 ? number % trades.length : 0
    for (const [index, trade] of trades.entries()) {
      add('NONDERIV_TRANS', tradeLine(accession, this.#key - ((index + turn) % trades.length), form[0]!, trade))
    }
    this.#key -= trades.length
    const footnotes = [...draft.footnotes]
    const options = draft.granted ? trades.slice(0, 1) : trades.filter(({ strike }) => strike !== null)
    for (const trade of options) add('DERIV_TRANS', optionLine(accession, this.#key--, trade, note(footnotes, VESTING)))
    for (let index = 0; index < held; index += 1) {
      const shares = amount(100 * (1_000 + issuer))
      const [letter, nature, disclaimed] = index ? ['I', 'By spouse', note(footnotes, DISCLAIMER)] : ['D', '', '']
      const cells = ['Common Stock', '', '', '', shares, '', '', '', letter, '', nature, disclaimed]
      add('NONDERIV_HOLDING', [accession, this.#key--, ...cells].join('\t'))
    }
    // Of those who report several holdings, most hold options too.
    for (let index = 0; index < (held > 2 ? 3 : held > 1 ? 1 : 0); index += 1) {
      add('DERIV_HOLDING', optionHeldLine(accession, this.#key--, index, note(footnotes, VESTING)))
    }
    for (const [index, footnote] of footnotes.entries()) {
      add('FOOTNOTES', [accession, `F${index + 1}`, text(footnote)].join('\t'))
    }
  }

  /** Submitters by seed and quarter, six digits within each. */
  #accession(number: number, filed: number): string {
    const { seed, quarter } = this.#set
    const agent = 9_800_000 + (hashOf(seed) % 200) * 500 + Number(quarter[5]) * 100 + Math.floor(number / 1e6)
    return `${cikText(agent)}-${this.#days[filed]!.date.slice(2, 4)}-${String(number % 1e6).padStart(6, '0')}`
  }
}

function tradeLine(accession: string, key: number, formType: string, trade: Trade): string {
  const { code, day, shares, price, after, codingNote, priceNote, indirect } = trade
  return [
    accession,
    key,
    'Common Stock',
    '',
    day,
    '',
    '',
    '',
    formType,
    code,
    key % 5 ? '0' : 'false',
    codingNote,
    '',
    '',
    amount(shares),
    '',
    price === null ? '' : amount(price),
    priceNote,
    'SFG'.includes(code) ? 'D' : 'A',
    '',
    amount(after),
    '',
    '',
    '',
    indirect ? 'I' : 'D',
    '',
    indirect ? 'By the partnership' : '',
    '',
  ].join('\t')
}

/** Of an exercise, or of a grant beside an award. */
function optionLine(accession: string, key: number, trade: Trade, vesting: string): string {
  const { code, day, shares, strike } = trade
  const isUnit = strike === 0
  return [
    ...[accession, key, isUnit ? 'Restricted Stock Units' : 'Stock Option (right to buy)', ''],
    ...(isUnit ? ['', vesting] : [amount(strike ?? 1_000), '']),
    ...[
      day,
      '',
      '',
      '',
      '4',
      code,
      '0',
      '',
      '',
      '',
      amount(shares),
      '',
      '',
      '',
      '0.0',
      '',
      code === 'M' ? 'D' : 'A',
      '',
    ],
    ...['', vesting, ...(isUnit ? ['', vesting] : ['01-JUN-2031', ''])],
    ...['Common Stock', '', amount(shares), '', '', '', amount(code === 'M' ? 0 : shares), '', '', '', 'D', '', '', ''],
  ].join('\t')
}

function optionHeldLine(accession: string, key: number, index: number, vesting: string): string {
  const shares = amount(100 * (500 + 250 * index))
  return [
    ...[accession, key, 'Stock Option (right to buy)', '', amount(1_000 + 125 * index), '', '', ''],
    ...(index ? [`01-JUN-20${20 + index}`, ''] : ['', vesting]),
    ...['01-JUN-2031', '', 'Common Stock', '', shares, '', '', '', shares, '', '', '', 'D', '', '', ''],
  ].join('\t')
}

const VESTING =
  `The award vests in four equal annual installments, the first of them a year after the date of grant, if the
 reporting person is still in the service of the issuer then. Each unit represents a contingent right to receive one
 share of the issuer's "Common Stock".`.replaceAll('\n', '')
const DISCLAIMER = `The reporting person disclaims beneficial ownership of these securities except to the extent of any
 pecuniary interest therein, and this report is no admission of beneficial ownership for any purpose.`.replaceAll(
  '\n',
  '',
)
const WEIGHTED =
  `The price is a weighted average of several transactions on that day. The reporting person undertakes to
 provide to the issuer, any of its security holders and the staff of the Commission, upon request, full information
 regarding the number of shares at each separate price.`.replaceAll('\n', '')

/** Adds what is said of such trades; answers the notes of coding and price. */
function notes(footnotes: string[], code: string, plan: boolean): [coding: string, price: string] {
  const coding = plan
    ? note(footnotes, 'Sold under a Rule 10b5-1 trading plan adopted on an earlier day.')
    : code === 'M'
      ? note(footnotes, 'Each unit is one share of "Common Stock".')
      : ''
  if (!'PS'.includes(code)) return [coding || note(footnotes, 'Under the "2020 Plan" of the issuer.'), '']
  return [coding, note(footnotes, WEIGHTED)]
}

function note(footnotes: string[], text: string): string {
  const known = footnotes.indexOf(text)
  return `F${known < 0 ? footnotes.push(text) : known + 1}`
}

/** Some have none, and some are in lower case or stand with an exchange. */
function typed(symbol: string, chance: number): string {
  const place = [0.0125, 0.0165, 0.022, 0.026, 0.03].findIndex((share) => chance < share)
  return ['NONE', 'N/A', symbol.toLowerCase(), `NYSE:${symbol}`, `TSX: ${symbol}`][place] ?? symbol
}

/** Evenly in orders of magnitude. */
function spread(least: number, most: number, chance: Chance): number {
  return Math.round(least * Math.exp(chance() * Math.log(most / least)))
}

function cikText(cik: number): string {
  return String(cik).padStart(10, '0')
}
