// The links of notices as of an instant, from what is stored at present.
import { linksAt } from '../../../../application/notices/judged-notices.ts'
import type { StoredLink } from '../../../../application/ports/notices.ts'
import { isEstimated } from '../../../../domain/filings/acceptance-time.ts'
import type { FiledNotice } from '../../../../domain/notices/notice.ts'
import type { AccessionNumber, Cik } from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { noticesOf, ownersOf, salesOf } from '../../stores/notice-store.ts'

export interface KnownLinks {
  notices: FiledNotice[]
  /** Of the notices filed by the instant. */
  links: Map<AccessionNumber, StoredLink>
}

/**
 * Links the notices of these issuers as of an instant, in seconds since 1970. Documents whose day is only estimated are
 * left out. A judgement is of what was known when the notice was filed.
 */
export async function knownLinks(store: ClickHouse, issuers: Cik[], asOf: number): Promise<KnownLinks> {
  const isKnown = ({ filedBasis }: { filedBasis: string }) => !isEstimated(filedBasis)
  const stored = (await noticesOf(store, issuers)).filter(({ notice }) => isKnown(notice))
  const notices = stored.map(({ notice }) => notice)
  const having = [...new Set(notices.map(({ issuer }) => issuer.cik))]
  const [sales, owners] = await Promise.all([salesOf(store, having), ownersOf(store, having, 'known')])
  const judgements = new Map(stored.map(({ notice, judgement }) => [notice.accession, judgement]))
  return { notices, links: await linksAt({ notices, sales: sales.filter(isKnown), owners }, judgements, asOf) }
}
