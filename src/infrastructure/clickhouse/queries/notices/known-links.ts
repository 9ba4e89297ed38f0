// The links of notices as of an instant, from what is stored at present.
import type { Compute, Computations, KnownLinks } from '../../../../application/ports/computations.ts'
import { linksAt } from '../../../../application/notices/judged-notices.ts'
import { isEstimated } from '../../../../domain/filings/acceptance-time.ts'
import { cikNumber, cikOf, type Cik } from '../../../../domain/shared/identifiers.ts'
import { deadlineSignal } from '../../../deadline.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql } from '../../connection/sql.ts'
import { storedOf } from '../../stores/notice-rows.ts'
import { storedOfIssuers } from '../../stores/notice-store.ts'

/** Links the notices of issuers as of an instant, in seconds since 1970. */
export type LinksAsOf = (issuers: Cik[], asOf: number) => Promise<KnownLinks>

export function linksAsOf(store: ClickHouse, compute: Compute): LinksAsOf {
  return async (issuers, asOf) => {
    if (issuers.length === 0) return { notices: [], links: new Map() }
    const having = await store.rows<{ issuer: number }>(sql`
      SELECT DISTINCT issuer_cik AS issuer
      FROM notices
      WHERE issuer_cik IN ${issuers.map(cikNumber)}`)
    const ciks = having.map(({ issuer }) => cikOf(issuer))
    const stored = await storedOfIssuers(store, ciks, 'known')
    return compute('caller', 'linksAsOf', { stored, asOf }, deadlineSignal())
  }
}

/** A judgement is of what was known when the notice was filed. */
export const linksOfRows: Computations['linksAsOf'] = ({ stored: rows, asOf }) => {
  const isKnown = ({ filedBasis }: { filedBasis: string }) => !isEstimated(filedBasis)
  const { sales, owners, stored } = storedOf(rows)
  const known = stored.filter(({ notice }) => isKnown(notice))
  const notices = known.map(({ notice }) => notice)
  const judgements = new Map(known.map(({ notice, judgement }) => [notice.accession, judgement]))
  return {
    notices: notices.map(({ accession, planAdoptionDates }) => ({ accession, planAdoptionDates })),
    links: linksAt({ notices, sales: sales.filter(isKnown), owners }, judgements, asOf),
  }
}
