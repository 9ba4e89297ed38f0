// Reported sales for tests of notices: a compact description, or what the service makes of a filing.
import type { Filing } from '../../../src/domain/filings/filing.ts'
import type { OwnerReport, ReportedSale } from '../../../src/domain/notices/link-notices.ts'
import { filingTime } from '../../../src/domain/filings/acceptance-time.ts'
import { newYorkToUtc } from '../../../src/domain/shared/new-york-time.ts'
import { tradeFacts } from '../../../src/domain/trades/extract-trades.ts'
import { holdingOf } from '../../../src/domain/trades/holding.ts'

export interface SaleSpec extends Partial<ReportedSale> {
  owner?: string
  ownerName?: string
  nature?: string
  footnotes?: string[]
}

let count = 0

/** A sale of 10,000 shares on 1 June 2026 by owner 7, held directly, unless said otherwise; reported two days later. */
export function saleOf({ owner, ownerName, nature, footnotes, ...spec }: SaleSpec = {}): ReportedSale {
  count += 1
  const accession = spec.accession ?? `0001999301-26-${String(count).padStart(6, '0')}`
  const tradeDay = spec.tradeDay === undefined ? '2026-06-01' : spec.tradeDay
  const row = { directIndirect: nature === undefined ? 'D' : 'I', nature: nature ?? null }
  return {
    id: `${accession}-nd-${spec.place ?? 1}`,
    accession,
    place: 1,
    filedAt: newYorkToUtc(tradeDay ?? '2026-06-01', 2 * 86_400 + 17 * 3600),
    tradeDay,
    shares: '10000',
    securityTitle: 'Common Stock',
    owners: [{ cik: cikOf(owner ?? '7'), name: ownerName ?? `SAMPLE OWNER ${owner ?? '7'}` }],
    holderNames: holdingOf(row, footnotes ?? []).holderNames,
    supersededAt: 0,
    ...spec,
  }
}

export const cikOf = (short: string): string => short.padStart(10, '0')

/** The sales of a Form 4, as the service reads them. */
export function salesOf(filing: Filing, receivedAt = 4e9): ReportedSale[] {
  return tradeFacts(filing, receivedAt)
    .filter(({ code, acquiredDisposed }) => code === 'S' && acquiredDisposed === 'D')
    .map((trade) => ({ ...trade, supersededAt: 0 }))
}

/** What a Form 3, 4 or 5 says of its owners' duty to report. */
export function reportsOf(filing: Filing, receivedAt = 4e9): OwnerReport[] {
  const { at, day } = filingTime(filing, receivedAt)
  return filing.owners.map(({ cik, name }) => ({
    cik,
    name,
    filedAt: at,
    day: filing.periodOfReport ?? day,
    left: filing.notSubjectToSection16 === true,
  }))
}
