// The columns of the table `notices` that month files are made from, beside those that notices are looked for by.
import type { FieldType } from '../../../application/queries/transactions/transaction-fields.ts'
import type { LinkedNotice } from '../../../application/ports/notices.ts'
import { isRealDate } from '../../../domain/shared/calendar.ts'
import type { DeclaredColumn } from './declared-columns.ts'

export interface NoticeColumn extends DeclaredColumn<LinkedNotice> {
  description: string
}

const column = (
  name: string,
  type: FieldType,
  of: (linked: LinkedNotice) => unknown,
  description: string,
): NoticeColumn => ({ name, type, isOptional: type !== 'list<string>', of, description })

const text = (name: string, of: (linked: LinkedNotice) => string | null, description: string): NoticeColumn =>
  column(name, 'string', of, description)

/** Null for what is no day of the engine's years. */
const day = (
  name: string,
  of: (linked: LinkedNotice) => string | null | undefined,
  description: string,
): NoticeColumn =>
  column(
    name,
    'date',
    (linked) => {
      const date = of(linked) ?? null
      return date !== null && isRealDate(date) && date >= '1900' && date < '2300' ? date : null
    },
    description,
  )

export const NOTICE_FIELDS = {
  filingDateBasis: text(
    'filingDateBasis',
    ({ notice }) => notice.filedBasis,
    'accepted, filed-date, signature or unknown.',
  ),
  companyName: text('companyName', ({ notice }) => notice.issuer.name, 'As typed.'),
  sellerName: text('sellerName', ({ notice }) => notice.seller.name, 'As typed.'),
  relationships: column(
    'relationships',
    'list<string>',
    ({ notice }) => notice.seller.relationships.map((each) => each.text),
    'Of the seller to the issuer, as typed.',
  ),
  securityTitles: column(
    'securityTitles',
    'list<string>',
    ({ notice }) => [...new Set(notice.lines.map(({ classTitle }) => classTitle ?? ''))],
    'Classes of the lines, as typed.',
  ),
  units: column(
    'units',
    'double',
    ({ notice: { lines } }) =>
      lines.some(({ units }) => units === null) ? null : lines.reduce((sum, { units }) => sum + Number(units), 0),
    'Units to be sold, of all lines; null if a line gives none.',
  ),
  saleDate: day(
    'saleDate',
    ({ notice }) => notice.lines[0]?.saleDate,
    'The approximate day of the sale, of the first line.',
  ),
  planAdoptionDates: column(
    'planAdoptionDates',
    'list<string>',
    ({ notice }) => notice.planAdoptionDates,
    'Days on which plans were adopted or instructions given.',
  ),
  reportedUnits: column(
    'reportedUnits',
    'double',
    ({ link }) => Number(link.reportedUnits),
    'Units of sales that count for it.',
  ),
  linkedBy: text(
    'linkedBy',
    ({ link }) => link.linkedBy,
    'How the seller was found: cik, holder or name; null where no sale counts.',
  ),
  windowEnd: day('windowEnd', ({ link }) => link.windowEnd, 'The last day whose sales count.'),
  firstSale: day('firstSale', ({ link }) => link.firstSale, 'Trade date of the first sale that counts.'),
  lastSale: day('lastSale', ({ link }) => link.lastSale, 'Trade date of the last sale that counts.'),
  sales: column(
    'sales',
    'list<string>',
    ({ link }) => link.allocations.map(({ saleId }) => saleId),
    'Ids of the transactions that count for it.',
  ),
  group: text(
    'group',
    ({ link }) => link.group,
    'The oldest of several notices for the same shares, which count once; null for others.',
  ),
  replacedBy: text('replacedBy', ({ link }) => link.replacedBy, 'The 144/A that took its place.'),
} satisfies Record<string, NoticeColumn>
