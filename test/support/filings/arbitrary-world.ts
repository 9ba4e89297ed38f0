// Worlds of filings whose past changes: several owners of two issuers trade within days of each other, so that signals
// come, grow, end and hold again; amendments supersede some of it, merge tranches or split rows, and often name another
// day than that of their original or none; others report it once more or together, some have no day on record.
// Everything follows from the seed.
import { hashOf, seeded } from '../edgar/invented/seeded.ts'
import { saidOfFiling, saidOfRow } from './said-of-rows.ts'
import { ownershipXml, submissionText, type FilingSpec, type RowSpec } from './filing-builder.ts'

export interface WorldFiling {
  path: string
  text: string
  spec: FilingSpec
  /** The filing time in seconds. */
  at: number
  /** Its document, a data set, or first the one and then the other, of which the document counts. */
  by: 'document' | 'set' | 'both'
}

export const WORLD_ISSUERS = [
  { cik: '0000000301', names: ['Example Anvil Inc', 'Example Anvil & Sons Inc'], ticker: 'ANVL' },
  { cik: '0000000302', names: ['Example Bellows Co', 'EXAMPLE BELLOWS CO'], ticker: 'BELW' },
]
export const WORLD_OWNERS = [
  { isOfficer: true, officerTitle: 'Chief Executive Officer' },
  { isOfficer: true, officerTitle: 'Chief Financial Officer' },
  { isDirector: true },
  { isDirector: true },
  { isTenPercentOwner: true, isDirector: true },
  { isTenPercentOwner: true },
].map((roles, index) => ({ cik: String(401 + index).padStart(10, '0'), name: `SAMPLE OWNER ${index}`, ...roles }))

/** The first day on which something is filed, New York's. */
const FIRST_DAY = Date.UTC(2024, 2, 11)
const DAY = 86_400_000
const text = (at: number) => new Date(at).toISOString()

/** Filings in the order of acceptance, in which a bare document is at the end of the day it was signed on. */
export function arbitraryWorld(seed: number, count: number): WorldFiling[] {
  const chance = seeded(hashOf(seed, 'world'))
  const of = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!
  const specs: (FilingSpec & { day: number; isBare: boolean })[] = []
  const row = (day: number, directIndirect = of(['D', 'D', 'I'] as const)): RowSpec => ({
    code: of(['P', 'P', 'P', 'P', 'P', 'P', 'S', 'A']),
    acquiredDisposed: 'A',
    date: text(FIRST_DAY + (day - of([0, 0, 1, 2])) * DAY).slice(0, 10),
    shares: of(['1500', '3000', '9000', '60000', '200000']),
    price: of(['10', '10', '10', '10.5', '10.5', '0', '2000000']),
    sharesAfter: of(['500000', '250000', null]),
    directIndirect,
    ...saidOfRow(directIndirect, chance),
  })
  for (let number = 1, day = 0; number <= count; number += 1) {
    day += of([0, 0, 0, 1, 1])
    // A bare document gives way to a submission that says the same, which would be another history.
    const isBare = chance() < 0.2
    const earlier = specs.filter((each) => each.formType !== '3' && !each.isBare)
    const model = earlier.length > 0 && !isBare && chance() < 0.4 ? of(earlier) : null
    const kind = model ? of(['amendment', 'amendment', 'chain', 'again'] as const) : 'new'
    const issuer =
      WORLD_ISSUERS.find(({ cik }) => cik === model?.issuer!.cik) ?? WORLD_ISSUERS[chance() < 0.75 ? 0 : 1]!
    const traded = (model?.rows ?? Array.from({ length: of([1, 1, 2, 3]) }, () => row(day))).map((each) =>
      each.code === 'S' ? { ...each, acquiredDisposed: 'D' as const } : each,
    )
    const rows = kind === 'new' && chance() < 0.4 ? traded.flatMap(inTranches) : traded
    const named = of([model?.day, model?.day, null, (model?.day ?? 0) - 1, day, null])
    const owners =
      kind === 'chain' || !model ? [of(WORLD_OWNERS), ...(chance() < 0.3 ? [of(WORLD_OWNERS)] : [])] : model.owners!
    specs.push({
      day,
      isBare,
      accession: `0001999009-24-${String(number).padStart(6, '0')}`,
      formType: chance() < 0.05 ? '3' : kind === 'amendment' ? '4/A' : '4',
      issuer: { cik: issuer.cik, name: of(issuer.names), tickerRaw: issuer.ticker },
      owners: [
        ...new Map(
          owners.map((owner) => [owner.cik, { ...owner, name: `${owner.name!.slice(0, 14)}${of(['', ' JR'])}` }]),
        ).values(),
      ],
      rows:
        kind === 'amendment'
          ? amended(rows, chance)
          : rows.map((each) => ({ ...each, ...(isBare && { sharesAfter: String(number) }) })),
      sic: null,
      office: null,
      ...saidOfFiling(chance),
      ...(kind === 'amendment' && {
        dateOfOriginalSubmission: named == null ? null : text(FIRST_DAY + named * DAY).slice(0, 10),
      }),
      // Few times of a day, so that several filings share a second.
      acceptedAt: `${text(FIRST_DAY + day * DAY)
        .slice(0, 10)
        .replaceAll('-', '')}${of(['100000', '100000', '153000', '170001'])}`,
      signatures: [{ name: 'SAMPLE', date: text(FIRST_DAY + day * DAY).slice(0, 10) }],
    })
  }
  return specs
    .map(({ day, isBare, ...spec }) => ({
      spec,
      path: `${spec.accession}.${isBare ? 'xml' : 'txt'}`,
      text: isBare ? ownershipXml(spec) : submissionText(spec),
      at: isBare ? endOf(day) : acceptanceOf(spec.acceptedAt!),
      by: 'document' as const,
    }))
    .sort(inOrder)
}

/**
 * A world of one reverse split, 1:20: two prices after it are suspect until an award shows it in the next quarter; an
 * amendment replaces one of them still later.
 */
export function splitWorld(): WorldFiling[] {
  const [ceo, cfo, ...others] = WORLD_OWNERS
  const bought = (shares: string, price: string, sharesAfter: string): RowSpec => ({
    ...{ code: 'P', acquiredDisposed: 'A', shares, price, sharesAfter },
  })
  const filed: [day: number, owner: (typeof WORLD_OWNERS)[number], rows: RowSpec[]][] = [
    [0, ceo!, [bought('1000', '0.40', '100000')]],
    [1, others[0]!, [bought('1000', '0.41', '1000')]],
    [2, others[1]!, [bought('1000', '0.42', '1000')]],
    [8, others[2]!, [bought('60000', '9', '60000'), bought('5000', '8.9', '65000')]],
    [10, cfo!, [{ code: 'S', acquiredDisposed: 'D', shares: '5000', price: '9.2', sharesAfter: '1000' }]],
    [25, ceo!, [{ code: 'A', acquiredDisposed: 'A', shares: '500', price: '0', sharesAfter: '5500' }]],
    [27, others[0]!, [bought('2000', '10', '2050')]],
    [30, others[2]!, [bought('50000', '9', '60000')]],
  ]
  return filed.map(([day, owner, rows], place) => {
    const date = text(FIRST_DAY + day * DAY).slice(0, 10)
    const isAmendment = place === 7
    const spec: FilingSpec = {
      accession: `0001999009-24-${String(place + 1).padStart(6, '0')}`,
      formType: isAmendment ? '4/A' : '4',
      issuer: { cik: WORLD_ISSUERS[0]!.cik, name: WORLD_ISSUERS[0]!.names[0]!, tickerRaw: WORLD_ISSUERS[0]!.ticker },
      owners: [owner],
      rows: rows.map((row) => ({ ...row, date: isAmendment ? text(FIRST_DAY + 8 * DAY).slice(0, 10) : date })),
      sic: null,
      office: null,
      ...(isAmendment && { dateOfOriginalSubmission: text(FIRST_DAY + 8 * DAY).slice(0, 10) }),
      acceptedAt: `${date.replaceAll('-', '')}100000`,
      signatures: [{ name: 'SAMPLE', date }],
    }
    const at = acceptanceOf(spec.acceptedAt!)
    return { spec, path: `${spec.accession}.txt`, text: submissionText(spec), at, by: 'document' }
  })
}

/** The same world, of which data sets tell half; what they alone tell counts from the end of its day. */
export function withDataSets(world: WorldFiling[], seed: number): WorldFiling[] {
  const chance = seeded(hashOf(seed, 'by data sets'))
  return world
    .map((filing): WorldFiling => {
      const by = filing.path.endsWith('.xml') || chance() < 0.4 ? 'document' : chance() < 0.7 ? 'set' : 'both'
      if (by !== 'set') return { ...filing, by }
      return { ...filing, by, at: endOf(Math.floor((filing.at * 1000 - FIRST_DAY) / DAY)) }
    })
    .sort(inOrder)
}

/** 22:00 in New York. */
const endOf = (day: number): number => (FIRST_DAY + (day + 1) * DAY) / 1000 + 2 * 3600

const inOrder = (a: WorldFiling, b: WorldFiling): number =>
  a.at - b.at || (a.spec.accession! < b.spec.accession! ? -1 : 1)

/** New York has daylight saving time in all of it. */
function acceptanceOf(stamp: string): number {
  const [, date = '', hour = '', minute = '', second = ''] = /^(\d{8})(\d\d)(\d\d)(\d\d)$/.exec(stamp)!
  const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`
  return Date.parse(`${day}T${hour}:${minute}:${second}Z`) / 1000 + 4 * 3600
}

/** Unchanged, with other shares, with a row less, with tranches merged or rows split. */
function amended(rows: RowSpec[], chance: () => number): RowSpec[] {
  const kind = chance()
  if (kind < 0.25) return merged(rows)
  if (kind < 0.4) return rows.flatMap(inTranches)
  const changed = rows.map((row) => (chance() < 0.5 ? row : { ...row, shares: chance() < 0.5 ? '500' : '70000' }))
  return changed.length > 1 && chance() < 0.3 ? changed.slice(1) : changed
}

/** The shares of the first part of a row in tranches; no other row has so many. */
export const FIRST_TRANCHE = 400

/** Returns the row in two that lead to its balance, where it has one. */
function inTranches(row: RowSpec): RowSpec[] {
  const rest = Number(row.shares) - FIRST_TRANCHE
  if (row.sharesAfter == null || rest <= 0) return [row]
  const between = Number(row.sharesAfter) - signed(row, rest)
  return [
    { ...row, shares: String(FIRST_TRANCHE), sharesAfter: String(between) },
    { ...row, shares: String(rest) },
  ]
}

/** Puts each row that opens at the balance of the one before it together with it. */
function merged(rows: RowSpec[]): RowSpec[] {
  return rows.reduce<RowSpec[]>((before, row) => {
    const last = before.at(-1)
    const opens = last?.sharesAfter != null && row.sharesAfter != null && last.directIndirect === row.directIndirect
    const opening = Number(row.sharesAfter) - signed(row, Number(row.shares))
    if (!opens || opening !== Number(last.sharesAfter)) return [...before, row]
    return [...before.slice(0, -1), { ...row, shares: String(Number(last.shares) + Number(row.shares)) }]
  }, [])
}

const signed = ({ acquiredDisposed }: RowSpec, shares: number): number => (acquiredDisposed === 'D' ? -shares : shares)
