// The present sector of every issuer, in memory: by the SIC of its newest filing that has one, else by what EDGAR
// gives, else by the office of a filing, as a company's page says it. Read again after each change.
import type { DataPart } from '../../../../application/changes/data-dependencies.ts'
import type { Sector } from '../../../../domain/filings/sector.ts'
import { cikNumber, type Cik } from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import type { CompanyLists } from './company-list.ts'
import type { Freshness } from './freshness.ts'

/** Returns the sectors of issuers that have a known one, as they are now. */
export type IssuerSectors = () => Promise<ReadonlyMap<number, string>>

export const FILED_SECTORS_SQL = sql`
  SELECT cik AS issuer, sector_by_sic AS bySic, sector_by_office AS byOffice
  FROM parties FINAL
  WHERE kind = 'company' AND sector_by_office != ''`

/** What is read without knowing of changes is used for this long. */
const UNSURE_MS = 250

export function issuerSectors(
  store: ClickHouse,
  lists: CompanyLists,
  { changes, isUpToDate }: Freshness,
): IssuerSectors {
  let known: { present: Promise<Map<number, string>>; version: number; at: number } | null = null
  const read = async () => {
    const [filed, { sectors }] = await Promise.all([
      store.rows<{ issuer: number; bySic: string; byOffice: string }>(FILED_SECTORS_SQL),
      lists(),
    ])
    const present = new Map(sectors)
    for (const { issuer, bySic, byOffice } of filed) present.set(issuer, bySic || (sectors.get(issuer) ?? byOffice))
    return present
  }
  return () => {
    const [version, at] = [changes.version(), performance.now()]
    if (known && (isUpToDate() ? known.version === version : at - known.at < UNSURE_MS)) return known.present
    const reading = { present: read(), version, at }
    known = reading
    reading.present.catch(() => {
      if (known === reading) known = null
    })
    return reading.present
  }
}

/** Returns the condition on the issuer that these sectors make. */
export function sectorCondition(asked: readonly Sector[], present: ReadonlyMap<number, string>): Sql {
  const sectors = new Set<string>(asked)
  // Issuers of an unknown sector are in no list.
  const isOther = sectors.has('Unknown')
  const issuers = [...present].flatMap(([issuer, sector]) => (sectors.has(sector) === isOther ? [] : [issuer]))
  if (issuers.length === 0) return isOther ? sql`1` : sql`0`
  return isOther ? sql`issuer_cik NOT IN ${issuers}` : sql`issuer_cik IN ${issuers}`
}

/** The CIK in the details of a transaction; texts can't contain it, since their quotes are escaped. */
const ISSUER = /"issuerCik":"(\d{10})",/

/** Adds the company's present sector to the details of transactions; returns them with what they then depend on. */
export async function withSectors(
  transactions: readonly string[],
  sectors: IssuerSectors,
): Promise<{ transactions: string[]; parts: DataPart[] }> {
  const present = await sectors()
  const issuers = new Set<Cik>()
  const complete = transactions.map((json) =>
    json.replace(ISSUER, (found, cik: Cik) => {
      issuers.add(cik)
      return `${found}"sector":"${present.get(cikNumber(cik)) ?? 'Unknown'}",`
    }),
  )
  return { transactions: complete, parts: [...issuers].map((cik) => `issuer:${cik}` as const) }
}
