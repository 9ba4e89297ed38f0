// Links notices of proposed sales to the sales that Forms 4 report later.
import type { AccessionNumber, DateText, DecimalText } from '../shared/identifiers.ts'
import { dateOfDay, dayNumber } from '../shared/calendar.ts'
import { toText } from '../shared/decimal.ts'
import { newYorkDay } from '../shared/new-york-time.ts'
import { byAcceptance } from '../shared/order.ts'
import { allocateSales, ONE_UNIT, type Allocation, type Offer } from './allocate-sales.ts'
import { classKey } from './class-key.ts'
import { LATE_DAYS, saleDateStatus } from './judge-notice.ts'
import type { FiledNotice, NoticeLine } from './notice.ts'
import { groupNotices, type NoticeGroup } from './notice-groups.ts'
import { replacedNotices } from './replaced-notices.ts'
import type { ReportedSale } from './reported-sale.ts'
import { ReportingOwners, type OwnerReport } from './reporting-owners.ts'
import { inOrder, ownerKey, SalesBySeller, UNIT_PLACES, type DatedSale, type DayWindow } from './sales-by-seller.ts'

export type { ReportedSale } from './reported-sale.ts'
export type { OwnerReport } from './reporting-owners.ts'

/**
 * All notices, sales and owners of one issuer, in any order. Those after `asOf`, in seconds since 1970, are ignored.
 */
export interface NoticesAndSales {
  notices: readonly FiledNotice[]
  sales: readonly ReportedSale[]
  owners: readonly OwnerReport[]
  asOf: number
  /** The day in New York for which the states are; that of `asOf` if left out. */
  day?: DateText
  /** Notices with suspect values. Anyone may file one under any name, so sales count for it by the CIK alone. */
  suspects?: ReadonlySet<AccessionNumber>
}

export const NOTICE_STATES = ['open', 'partly', 'fulfilled', 'not_reported', 'not_expected', 'replaced'] as const
export type NoticeState = (typeof NOTICE_STATES)[number]

/** How the seller was found among the owners of the sales, by the first way that found one. */
export type LinkedBy = 'cik' | 'holder' | 'name'

/** Units of a sale that count for a notice, a decimal text with at most 4 places. */
export interface SaleAllocation {
  saleId: string
  accession: AccessionNumber
  units: DecimalText
}

export interface NoticeLink {
  accession: AccessionNumber
  state: NoticeState
  /** Null if no sale is allocated. */
  linkedBy: LinkedBy | null
  /** Units of all allocations, at most those of the notice. */
  reportedUnits: DecimalText
  /** The last day whose sales count, 90 days after the sale date. */
  windowEnd: DateText
  /** Whether that day is not over yet. */
  windowOpen: boolean
  firstSale: DateText | null
  lastSale: DateText | null
  /** In the order of the sales. Those of a group are the same in each of its notices and count once. */
  allocations: SaleAllocation[]
  /**
   * Whether the notice is of ordinary shares and the seller sold depositary ones, or the reverse. These are not linked.
   */
  unitsDiffer: boolean
  /** Accession of the oldest of several notices for the same shares, that notice included; null for others. */
  group: AccessionNumber | null
  /** The 144/A that replaced it. */
  replacedBy: AccessionNumber | null
}

/** Windows begin with the sale date or the day of filing and end this long after the sale date. */
const WINDOW_DAYS = 90
/** Days after the window's end in which a sale of its last day may still be reported. */
export const GRACE_DAYS = 10
/** The most days after its filing on which a notice can be open. */
export const OPEN_DAYS = LATE_DAYS + WINDOW_DAYS + GRACE_DAYS - 1

const NONE: ReadonlySet<AccessionNumber> = new Set()

/** Returns a link for each notice filed by `asOf`, the oldest first. */
export function linkNotices({ asOf, day, suspects = NONE, ...all }: NoticesAndSales): NoticeLink[] {
  const notices = all.notices.filter(({ filedAt }) => filedAt <= asOf).sort(byAcceptance)
  const sales = new SalesBySeller(
    all.sales.filter((sale) => sale.filedAt <= asOf && (sale.supersededAt === 0 || sale.supersededAt > asOf)),
  )
  const reports = all.owners.filter(({ filedAt }) => filedAt <= asOf)
  const owners = new ReportingOwners(reports, sales)
  const replacedBy = replacedNotices(notices)
  const standing = notices.filter(({ accession }) => !replacedBy.has(accession))
  const doubtful = groupNotices(standing.filter(({ accession }) => suspects.has(accession)))
  const others = groupNotices(standing.filter(({ accession }) => !suspects.has(accession)))
  const groups = [...doubtful, ...others].sort((a, b) => byAcceptance(a.notices[0]!.notice, b.notices[0]!.notice))
  const suspectGroups = new Set(doubtful)
  const offers = groups.flatMap((group) => offersOf(group, { sales, owners, isSuspect: suspectGroups.has(group) }))
  const allocations = allocateSales(offers, sales.sales, (sale) => sales.sellersOf(sale))
  const taken = offers.map((offer, index) => ({ offer, allocations: allocations[index]! }))
  const ofGroups = Map.groupBy(taken, ({ offer }) => offer.group)
  const today = dayNumber(day ?? newYorkDay(asOf))
  const links = new Map<AccessionNumber, NoticeLink>()
  for (const group of groups) {
    const link = linkOf(group, ofGroups.get(group)!, owners, today)
    for (const { notice } of group.notices) links.set(notice.accession, { ...link, accession: notice.accession })
  }
  return notices.map(
    (notice) => links.get(notice.accession) ?? replaced(notice, replacedBy.get(notice.accession)!, today),
  )
}

interface GroupOffer extends Offer {
  group: NoticeGroup
  linkedBy: LinkedBy | null
  unitsDiffer: boolean
}

/** Where the seller of a group is looked for. */
interface Sellers {
  sales: SalesBySeller
  owners: ReportingOwners
  isSuspect: boolean
}

/** One offer for each class and sale date. */
function offersOf(group: NoticeGroup, sellers: Sellers): GroupOffer[] {
  const { lines, filedDay } = group.notices[0]!.notice
  const windows = lines.map((line) => windowOf(line, filedDay))
  const places = lines.map((_, place) => place)
  const alike = Map.groupBy(places, (place) => `${windows[place]!.saleDay} ${classKey(lines[place]!.classTitle)}`)
  return [...alike.values()].map((together) => {
    const noticed = classKey(lines[together[0]!]!.classTitle)
    const { saleDay, window } = windows[together[0]!]!
    const whole = together.reduce((sum, place) => sum + BigInt(lines[place]!.units ?? 0), 0n)
    const found = findSeller(group, noticed, window, sellers)
    return { group, units: whole * ONE_UNIT, saleDay, window, ...found }
  })
}

/** Uses the day of filing if the sale date is absent or suspect. */
function windowOf({ saleDate }: NoticeLine, filedDay: DateText): { saleDay: number; window: DayWindow } {
  const filed = dayNumber(filedDay)
  const isPlausible = saleDateStatus(saleDate, filedDay) === 'plausible'
  const saleDay = isPlausible ? dayNumber(saleDate!) : filed
  return { saleDay, window: { from: Math.min(saleDay, filed), to: saleDay + WINDOW_DAYS } }
}

/** Returns the last day on which a notice can be open, whichever notices for the same shares there are. */
export function openUntil({ lines, filedDay }: FiledNotice): DateText {
  const days = lines.map((line) => windowOf(line, filedDay).saleDay)
  return dateOfDay(Math.max(dayNumber(filedDay), ...days) + WINDOW_DAYS + GRACE_DAYS - 1)
}

/**
 * Finds the sellers whose sales count, by the first step that finds sales of the class in the window. A seller who
 * reports under the CIK of the notice is not searched by name: an insider whom a fund's footnotes name has not sold the
 * fund's shares.
 */
function findSeller(
  { notices }: NoticeGroup,
  noticed: string,
  window: DayWindow,
  { sales, owners, isSuspect }: Sellers,
): Pick<GroupOffer, 'sellers' | 'classKey' | 'linkedBy' | 'unitsDiffer'> {
  const strangers = notices.filter(({ notice }) => !owners.has(notice.seller.cik))
  const all: [LinkedBy, string[]][] = [
    ['cik', notices.map(({ notice }) => ownerKey(notice.seller.cik))],
    ['holder', [...strangers.flatMap(({ names }) => names.seller), ...notices.flatMap(({ names }) => names.holders)]],
    ['name', strangers.flatMap(({ notice }) => owners.named(notice.seller.name) ?? []).map(ownerKey)],
  ]
  const steps = isSuspect ? all.slice(0, 1) : all
  for (const [linkedBy, keys] of steps) {
    const sold = sales.soldBy([...new Set(keys)], noticed, window)
    if (sold.sellers.length > 0) return { ...sold, linkedBy, unitsDiffer: false }
  }
  const unitsDiffer = steps.some(([, keys]) => sales.soldOtherUnits(keys, noticed, window))
  return { sellers: [], classKey: noticed, linkedBy: null, unitsDiffer }
}

interface Taken {
  offer: GroupOffer
  allocations: Allocation[]
}

const STEPS: readonly LinkedBy[] = ['cik', 'holder', 'name']

function linkOf(group: NoticeGroup, taken: readonly Taken[], owners: ReportingOwners, today: number): NoticeLink {
  const sum = (numbers: readonly bigint[]) => numbers.reduce((total, each) => total + each, 0n)
  const offered = sum(taken.map(({ offer }) => offer.units))
  const allocations = merged(taken.flatMap(({ allocations }) => allocations))
  const reported = sum(allocations.map(({ units }) => units))
  const linked = taken.filter(({ allocations }) => allocations.length > 0).map(({ offer }) => offer.linkedBy)
  const last = Math.max(...taken.map(({ offer }) => offer.window.to))
  const days = allocations.map(({ sale }) => sale.day)
  return {
    accession: group.notices[0]!.notice.accession,
    state:
      reported > 0n
        ? reported >= offered - ONE_UNIT
          ? 'fulfilled'
          : 'partly'
        : withoutSales(group, taken, owners, today - last),
    linkedBy: STEPS.find((step) => linked.includes(step)) ?? null,
    reportedUnits: unitsText(reported),
    windowEnd: dateOfDay(last),
    windowOpen: today <= last,
    firstSale: days.length === 0 ? null : dateOfDay(days[0]!),
    lastSale: days.length === 0 ? null : dateOfDay(days.at(-1)!),
    allocations: allocations.map(({ sale: { sale }, units }) => ({
      saleId: sale.id,
      accession: sale.accession,
      units: unitsText(units),
    })),
    unitsDiffer: taken.some(({ offer }) => offer.unitsDiffer),
    group: group.notices.length === 1 ? null : group.notices[0]!.notice.accession,
    replacedBy: null,
  }
}

/** Returns the state of a notice without sales. `over`: how many days ago the window ended. */
function withoutSales(
  { notices }: NoticeGroup,
  taken: readonly Taken[],
  owners: ReportingOwners,
  over: number,
): NoticeState {
  if (over <= 0) return 'open'
  const saleDay = dateOfDay(Math.min(...taken.map(({ offer }) => offer.saleDay)))
  if (!notices.some(({ notice }) => owners.isExpected(notice, saleDay))) return 'not_expected'
  return over >= GRACE_DAYS ? 'not_reported' : 'open'
}

/** Merges allocations of the same sale, and returns them in the order of the sales. */
function merged(allocations: readonly Allocation[]): Allocation[] {
  const units = new Map<DatedSale, bigint>()
  for (const each of allocations) units.set(each.sale, (units.get(each.sale) ?? 0n) + each.units)
  return [...units].map(([sale, units]) => ({ sale, units })).sort((a, b) => inOrder(a.sale, b.sale))
}

const unitsText = (units: bigint): DecimalText => toText({ units, scale: UNIT_PLACES })

function replaced(notice: FiledNotice, replacedBy: AccessionNumber, today: number): NoticeLink {
  const last = Math.max(...notice.lines.map((line) => windowOf(line, notice.filedDay).window.to))
  return {
    accession: notice.accession,
    state: 'replaced',
    linkedBy: null,
    reportedUnits: '0',
    windowEnd: dateOfDay(last),
    windowOpen: today <= last,
    firstSale: null,
    lastSale: null,
    allocations: [],
    unitsDiffer: false,
    group: null,
    replacedBy,
  }
}
