// Notices of proposed sales that nobody filed: one for every other sale, filed with the order and so before the Form 4
// that reports the sale, and some whose sale never comes.
import { noticeSubmission } from '../../notices/notice-builder.ts'
import { newYork } from '../simulator/new-york.ts'
import { filingDay, inventedAccession, type InventedFiling, type Invention } from './filings.ts'
import { hashOf, seeded } from './seeded.ts'

/** Returns the notice of the sale that a Form 4 reports; null for half of them, and for what reports no sale. */
export function inventedNotice(
  number: number,
  { spec, amends }: InventedFiling,
  { seed = 1, acceptedAt }: Invention,
): string | null {
  const sales = (spec.rows ?? []).filter(({ code }) => code === 'S')
  const [seller] = spec.owners ?? []
  const chance = seeded(hashOf(seed, 'notice', number))
  if (amends !== null || sales.length === 0 || !seller || chance() < 0.5) return null
  const filed = filingDay(acceptedAt(number))
  const sold = sales.reduce((sum, { shares }) => sum + Number(shares), 0)
  const units = Math.ceil(chance() < 0.2 ? 1.5 * sold : sold)
  return noticeSubmission({
    accession: inventedAccession(number, 'notice', seed, filed),
    acceptedAt: newYork(acceptedAt(number)).stamp,
    filedAsOf: filed.replaceAll('-', ''),
    issuer: { cik: spec.issuer!.cik!, name: spec.issuer!.name! },
    seller: { cik: seller.cik!, name: seller.name!, relationships: [seller.isOfficer ? 'Officer' : 'Director'] },
    lines: [{ units, marketValue: (units * Number(sales[0]!.price)).toFixed(2), saleDate: sales[0]!.date! }],
    planAdoptionDates: spec.aff10b5One ? [`${Number(filed.slice(0, 4)) - 1}-09-15`] : [],
  })
}
