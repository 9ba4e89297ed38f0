// Issuers, insiders and trusts that do not exist, whose notices and Forms 4 are known to belong together: each programme
// of sales has a stretch of time and sellers of its own, so that what is to be found follows from how it was made. What a
// seed stands for is the same in every run; all can be written as documents.
import { addDays } from '../../../src/domain/shared/calendar.ts'
import type { LinkedBy, NoticeState, SaleAllocation } from '../../../src/domain/notices/link-notices.ts'
import { seeded } from '../edgar/invented/seeded.ts'
import { submissionText, type FilingSpec, type RowSpec } from '../filings/filing-builder.ts'
import { noticeSubmission, type NoticeSpec } from './notice-builder.ts'

/** What must be found of a notice once all windows are over. */
interface ExpectedLink {
  /** The kind of programme, for messages. */
  kind: string
  state: NoticeState
  linkedBy: LinkedBy | null
  /** In the order of the sales. */
  allocations: Pick<SaleAllocation, 'saleId' | 'units'>[]
  group: string | null
  replacedBy: string | null
}

export interface NoticeWorld {
  issuer: { cik: string; name: string; tickerRaw: string }
  notices: NoticeSpec[]
  /** Forms 3 and 4. */
  filings: FilingSpec[]
  expected: Map<string, ExpectedLink>
  /** Day after all windows and their ten days. */
  end: string
}

interface Insider {
  cik: string
  /** As EDGAR conforms it. */
  name: string
  /** The same in other orders and forms. */
  variants: string[]
  trust: { cik: string; name: string; mention: string }
}

const SURNAMES = [
  'SAMPLE',
  'SPECIMEN',
  'EXEMPLAR',
  'PLACEHOLDER',
  'MUSTERMANN',
  'FICTIVE',
  'MOCKINGHAM',
  'DRAFTWELL',
  "O'NOONE",
  'TESTERSON',
  'VAN DER SKETCH',
  'FACSIMILE-MODELL',
  'PATTERNSON',
  'DUMMETT',
  'IMAGINARY',
]
const GIVEN: [full: string, short: string][] = [
  ['TIMOTHY', 'TIM'],
  ['ROBERT', 'BOB'],
  ['SUSAN', 'SUE'],
  ['MATTHEW', 'MATT'],
  ['KATHERINE', 'KATE'],
]
const STRANGERS = ['Nobody Ines', 'Olga Blankform', 'HUGO TEMPLATE', 'Standin Leo']
const SLOT_DAYS = 135
const SLOTS = 5
const START = '2024-01-08'

interface SaleDay {
  day: string
  filing: string
  rows: { place: number; units: number }[]
}

interface HowSold {
  title?: string
  nature?: string
  footnote?: string
}

/** The world's documents as EDGAR has them, each with its accession number. */
export function documentsOf({ notices, filings }: NoticeWorld) {
  return {
    notices: notices.map((spec) => ({ accession: spec.accession!, text: noticeSubmission(spec) })),
    filings: filings.map((spec) => ({ accession: spec.accession!, text: submissionText(spec) })),
  }
}

/** Makes a world of one issuer. */
export function noticeWorld(seed: number): NoticeWorld {
  return new World(seed).make()
}

class World {
  readonly #random: () => number
  readonly #seed: number
  readonly #issuer: NoticeWorld['issuer']
  readonly #notices: NoticeSpec[] = []
  readonly #filings: FilingSpec[] = []
  readonly #expected = new Map<string, ExpectedLink>()
  #numbers = 0

  constructor(seed: number) {
    this.#seed = seed
    this.#random = seeded(seed)
    this.#issuer = {
      cik: String(9_400_000 + (seed % 10_000)).padStart(10, '0'),
      name: `Example Notices ${seed} Inc`,
      tickerRaw: 'EXNO',
    }
  }

  make(): NoticeWorld {
    const insiders = SURNAMES.map((surname, index) => this.#insider(surname, index))
    for (const { cik, name } of insiders) this.#award(cik, name)
    for (let slot = 0; slot < SLOTS; slot += 1) {
      const start = addDays(START, slot * SLOT_DAYS)
      const first = this.#int(0, insiders.length - 1)
      const turned = [...insiders.slice(first), ...insiders.slice(0, first)]
      this.#coTrustees(turned.slice(0, 3), this.#dayFrom(start))
      for (const insider of turned.slice(3)) this.#programme(insider, this.#dayFrom(start))
      this.#stranger(slot, this.#dayFrom(start))
    }
    return {
      issuer: this.#issuer,
      notices: this.#notices,
      filings: this.#filings,
      expected: this.#expected,
      end: addDays(START, SLOTS * SLOT_DAYS + 30),
    }
  }

  #insider(surname: string, index: number): Insider {
    const [given, short] = GIVEN[index % GIVEN.length]!
    const initial = 'ABCDE'.charAt(this.#int(0, 4))
    const small = (text: string) => text.replace(/\w+/g, (word) => word.charAt(0) + word.slice(1).toLowerCase())
    const plain = small(surname).replace('Van Der', 'van der')
    return {
      cik: this.#cik(100_000 + index),
      name: `${surname} ${given} ${initial}`,
      variants: [
        `${small(given)} ${initial}. ${plain}`,
        `${given} ${surname}`,
        `${surname} ${given}`,
        `${small(short)} ${plain}`,
        `${plain} ${given.charAt(0)} ${initial}`,
        `Dr. ${small(given)} ${plain}, Ph.D.`,
      ],
      trust: {
        cik: this.#cik(200_000 + index),
        name: `${surname.replace(/^VAN DER /, '')} ${given} Family Trust`,
        mention: `the ${small(surname.replace(/^VAN DER /, ''))} ${small(given)} Family Trust`,
      },
    }
  }

  #programme(insider: Insider, day: string): void {
    const kinds = [
      () => this.#sold(insider, day),
      () => this.#sold(insider, day),
      () => this.#byName(insider, day),
      () => this.#trustReports(insider, day),
      () => this.#trustOffers(insider, day),
      () => this.#notSold(insider, day),
      () => this.#twoByDay(insider, day),
      () => this.#classes(insider, day),
      () => this.#amended(insider, day),
      () => this.#withoutNotice(insider, day),
    ]
    kinds[this.#int(0, kinds.length - 1)]!()
  }

  /** All, a part or all but a fraction, on the sale date or over days until the window ends. */
  #sold(insider: Insider, day: string): void {
    const units = this.#units()
    const accession = this.#notice(insider, day, { lines: [this.#line(units)] })
    const sold = this.#pick([units, units, units - 0.4, Math.round(units / 3)])
    const sales = this.#spread(insider, day, sold)
    this.#expect('sold', accession, deal(sales, sold), { linkedBy: 'cik', units })
  }

  #byName(insider: Insider, day: string): void {
    const units = this.#units()
    const cik = this.#cik(300_000 + this.#numbers)
    const name = this.#pick(insider.variants)
    const accession = this.#notice({ cik, name }, day, { lines: [this.#line(units)] })
    this.#expect('by name', accession, deal(this.#spread(insider, day, units), units), { linkedBy: 'name', units })
  }

  /** The insider offers, and says that a trust holds the shares; the trust reports the sale. */
  #trustReports(insider: Insider, day: string): void {
    const units = this.#units()
    const { trust } = insider
    const remarks = `The shares to be sold are held by ${trust.mention} dtd 1/29/2016.`
    const accession = this.#notice(insider, day, { lines: [this.#line(units)], remarks })
    const sales = this.#spread(trust, day, units, {
      nature: 'See footnote',
      footnote: `The shares are held by ${trust.mention}.`,
    })
    this.#expect('trust reports', accession, deal(sales, units), { linkedBy: 'holder', units })
  }

  /** The trust offers under a CIK of its own; the insider reports the sale. */
  #trustOffers(insider: Insider, day: string): void {
    const units = this.#units()
    const seller = { cik: this.#cik(300_000 + this.#numbers), name: insider.trust.name.toUpperCase() }
    const accession = this.#notice(seller, day, { lines: [this.#line(units)] })
    const sales = this.#spread(insider, day, units, { nature: `By ${insider.trust.mention.slice(4)}` })
    this.#expect('trust offers', accession, deal(sales, units), { linkedBy: 'holder', units })
  }

  #notSold(insider: Insider, day: string): void {
    const isFormer = this.#random() < 0.4
    const accession = this.#notice(insider, day, {
      lines: [this.#line(this.#units())],
      seller: { ...insider, relationships: [isFormer ? 'Former Officer' : 'Officer'] },
    })
    // What is withheld for taxes, given away or bought is no sale.
    this.#form4(
      insider,
      day,
      ['F', 'G', 'P'].map((code) => ({ code, units: this.#units() })),
    )
    this.#expect('not sold', accession, [], { state: isFormer ? 'not_expected' : 'not_reported' })
  }

  /** The first is sold in part on its day; the rest goes with what the second offers, a week later. */
  #twoByDay(insider: Insider, day: string): void {
    const [first, second] = [this.#units(), this.#units()]
    const later = addDays(day, 7)
    const one = this.#notice(insider, day, { lines: [this.#line(first)] })
    const two = this.#notice(insider, later, { lines: [this.#line(second)] })
    const early = Math.round(first / 2)
    const rest = this.#pick([0, 500])
    const before = this.#sale(insider, day, early)
    const after = this.#sale(insider, later, second + rest)
    this.#expect('second by day', two, deal([after], second), { linkedBy: 'cik', units: second })
    this.#expect('first by day', one, [...deal([before], early), ...deal([after], rest, second)], {
      linkedBy: 'cik',
      units: first,
    })
  }

  #classes(insider: Insider, day: string): void {
    const [a, b] = [this.#units(), this.#units()]
    const accession = this.#notice(insider, day, {
      lines: [this.#line(a, 'Class A'), this.#line(b, 'Class B Common'), this.#line(1000, 'Class A')],
    })
    const ofA = this.#spread(insider, day, a + 1000, { title: 'Class A Common Stock, par value $0.01' })
    const ofB = this.#spread(insider, day, b, { title: 'Common Stock, Class B' })
    const allocations = [...deal(ofA, a + 1000), ...deal(ofB, b)]
    this.#expect('classes', accession, allocations, { linkedBy: 'cik', units: a + b + 1000 })
  }

  #amended(insider: Insider, day: string): void {
    const units = this.#units()
    const wrong = this.#notice(insider, day, { lines: [this.#line(units + 777)] })
    const accession = this.#notice(insider, day, {
      form: '144/A',
      previousAccession: this.#random() < 0.7 ? wrong : '0009999999-99-999999',
      lines: [this.#line(units)],
    })
    this.#expect('amended', wrong, [], { state: 'replaced', replacedBy: accession })
    this.#expect('amendment', accession, deal(this.#spread(insider, day, units), units), { linkedBy: 'cik', units })
  }

  #withoutNotice(insider: Insider, day: string): void {
    this.#spread(insider, day, this.#units())
  }

  #coTrustees(trustees: readonly Insider[], day: string): void {
    const units = this.#units()
    const remarks = this.#pick([
      `Held by ${trustees[0]!.trust.mention}, of which the three sellers are co-trustees.`,
      'This notice and those of the co-trustees relate to the same shares.',
    ])
    const accessions = trustees.map((trustee, index) =>
      this.#notice(trustee, addDays(day, index), { lines: [{ ...this.#line(units), saleDate: day }], remarks }),
    )
    const sales = this.#spread(trustees[this.#int(0, 2)]!, day, units)
    for (const accession of accessions) {
      const group = accessions[0]!
      this.#expect('co-trustees', accession, deal(sales, units), { linkedBy: 'cik', units, group })
    }
  }

  #stranger(slot: number, day: string): void {
    const seller = { cik: this.#cik(400_000 + slot), name: STRANGERS[slot % STRANGERS.length]! }
    const accession = this.#notice(seller, day, {
      lines: [this.#line(this.#units())],
      seller: { ...seller, relationships: ['Affiliate'] },
    })
    this.#expect('stranger', accession, [], { state: 'not_expected' })
  }

  #expect(
    kind: string,
    accession: string,
    allocations: { id: string; units: number }[],
    { units = 0, ...spec }: Partial<ExpectedLink> & { units?: number },
  ): void {
    const sold = allocations.reduce((sum, each) => sum + each.units, 0)
    this.#expected.set(accession, {
      kind,
      state: sold >= units - 1 ? 'fulfilled' : 'partly',
      linkedBy: null,
      group: null,
      replacedBy: null,
      ...spec,
      allocations: allocations.map(({ id, units }) => ({ saleId: id, units: String(Number(units.toFixed(4))) })),
    })
  }

  #notice(seller: { cik: string; name: string }, day: string, spec: NoticeSpec): string {
    const accession = this.#accession(1, day)
    const prefix = this.#pick(['', 'own:', 'ns2:'])
    const { cik, name } = seller
    this.#notices.push({
      accession,
      acceptedAt: `${day.replaceAll('-', '')}${spec.form === '144/A' ? 19 : 17}${this.#clock()}`,
      issuer: { cik: this.#issuer.cik, name: this.#issuer.name },
      planAdoptionDates: this.#random() < 0.4 ? [addDays(day, -100)] : [],
      dress: { prefix },
      ...spec,
      seller: { cik, name, ...spec.seller },
      lines: spec.lines!.map((line) => ({ saleDate: day, ...line })),
    })
    return accession
  }

  #line(units: number, classTitle = 'Common') {
    return { units, classTitle, marketValue: `${units * 25}.00` }
  }

  /** Sells on the day, or in parts on several days up to the last of the window. */
  #spread(seller: { cik: string; name: string }, day: string, units: number, how: HowSold = {}): SaleDay[] {
    const days = this.#pick([[0], [0, 1], [2, 30, 90]])
    const parts = days.map((_, index) => (index === 0 ? units - (days.length - 1) * 100 : 100))
    return days.map((after, index) => this.#sale(seller, addDays(day, after), parts[index]!, how))
  }

  /** One Form 4 with the day's sales in one to three rows, sometimes behind a row that is no sale. */
  #sale(seller: { cik: string; name: string }, day: string, units: number, how: HowSold = {}): SaleDay {
    const pieces = this.#int(1, 3)
    const piece = Math.floor(units / pieces)
    const amounts = Array.from({ length: pieces }, (_, index) =>
      index === 0 ? Number((units - piece * (pieces - 1)).toFixed(4)) : piece,
    )
    const exercise = this.#random() < 0.3 ? [{ code: 'M', units: 100 }] : []
    const filing = this.#form4(
      seller,
      day,
      [...exercise, ...amounts.map((amount) => ({ code: 'S', units: amount }))],
      how,
    )
    return {
      day,
      filing,
      rows: amounts.map((amount, index) => ({ place: exercise.length + index + 1, units: amount })),
    }
  }

  #form4(
    { cik, name }: { cik: string; name: string },
    day: string,
    rows: { code: string; units: number }[],
    { title, nature, footnote }: HowSold = {},
  ): string {
    const filedDay = addDays(day, this.#int(0, 2))
    const accession = this.#accession(2, filedDay)
    this.#filings.push({
      accession,
      formType: '4',
      acceptedAt: `${filedDay.replaceAll('-', '')}18${this.#clock()}`,
      issuer: this.#issuer,
      owners: [{ cik, name, isOfficer: true, officerTitle: 'Chief Example Officer' }],
      footnotes: footnote === undefined ? [] : [{ id: 'F1', text: footnote }],
      rows: rows.map(({ code, units }): RowSpec => ({
        code,
        acquiredDisposed: ['M', 'P', 'A'].includes(code) ? 'A' : 'D',
        shares: String(units),
        price: '25',
        date: day,
        securityTitle: title ?? 'Common Stock',
        directIndirect: nature === undefined ? 'D' : 'I',
        nature: nature ?? null,
        ...(footnote === undefined ? {} : { footnotes: { nature: ['F1'] } }),
      })),
      signatures: [{ name: `/s/ ${name}`, date: filedDay }],
    })
    return accession
  }

  /** Who has an award reports. */
  #award(cik: string, name: string): void {
    this.#form4({ cik, name }, addDays(START, -60), [{ code: 'A', units: 100_000 }])
  }

  #accession(kind: number, day: string): string {
    this.#numbers += 1
    return `000999${kind}${String(this.#seed % 1000).padStart(3, '0')}-${day.slice(2, 4)}-${String(this.#numbers).padStart(6, '0')}`
  }

  #cik(number: number): string {
    return String(9_000_000_000 - (this.#seed % 1000) * 1_000_000 - number).padStart(10, '0')
  }

  #clock(): string {
    return `${String(this.#int(0, 59)).padStart(2, '0')}${String(this.#int(0, 59)).padStart(2, '0')}`
  }

  #dayFrom(start: string): string {
    return addDays(start, this.#int(0, 20))
  }

  #units(): number {
    return this.#int(20, 400) * 50 + 1000
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#int(0, choices.length - 1)]!
  }

  #int(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1))
  }
}

/** Deals units out of sales in their order, after the first `skipped` units. */
function deal(sales: readonly SaleDay[], units: number, skipped = 0): { id: string; units: number }[] {
  let [before, left] = [skipped, units]
  const dealt: { id: string; units: number }[] = []
  for (const { filing, rows } of sales) {
    for (const row of rows) {
      const passed = Math.min(before, row.units)
      before -= passed
      const taken = Math.min(left, row.units - passed)
      left -= taken
      if (taken > 0) dealt.push({ id: `${filing}-nd-${row.place}`, units: taken })
    }
  }
  return dealt
}
