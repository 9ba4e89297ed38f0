// The present sectors of all issuers, in memory: by the SIC code of the newest filing that has one, else from EDGAR's
// list, else by the SEC's office in a filing. They are read again after each change.
import type { DataPart } from '../../../../application/changes/data-dependencies.ts'
import type { Sector } from '../../../../domain/filings/sector.ts'
import { cikNumber, cikOf, type Cik } from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import type { CompanyLists } from './company-list.ts'
import { keepCurrent, type Freshness } from './freshness.ts'

/** Reads the present sectors, without issuers of an unknown one. */
export type IssuerSectors = () => Promise<ReadonlyMap<number, string>>

export const FILED_SECTORS_SQL = sql`
  SELECT cik AS issuer, sector_by_sic AS bySic, sector_by_office AS byOffice
  FROM parties FINAL
  WHERE kind = 'company' AND sector_by_office != ''`

export function issuerSectors(store: ClickHouse, lists: CompanyLists, freshness: Freshness): IssuerSectors {
  const read = () => readSectors(store, lists, FILED_SECTORS_SQL)
  return keepCurrent(read, freshness, (version) => version === freshness.changes.version())
}

/** Reads the present sectors of these issuers alone: those of all are read again after each change. */
export const sectorsOf = (store: ClickHouse, lists: CompanyLists, issuers: readonly Cik[]): ReturnType<IssuerSectors> =>
  readSectors(store, lists, sql`${FILED_SECTORS_SQL} AND cik IN ${issuers.map(cikNumber)}`)

async function readSectors(store: ClickHouse, lists: CompanyLists, filedSql: Sql): ReturnType<IssuerSectors> {
  const [filed, { sectors }] = await Promise.all([
    store.rows<{ issuer: number; bySic: string; byOffice: string }>(filedSql),
    lists(),
  ])
  const present = new Map(sectors)
  for (const { issuer, bySic, byOffice } of filed) present.set(issuer, bySic || (sectors.get(issuer) ?? byOffice))
  return present
}

/** Returns the condition that the issuer is in one of these sectors. */
export function sectorCondition(requested: readonly Sector[], present: ReadonlyMap<number, string>): Sql {
  const sectors = new Set<string>(requested)
  // `present` lacks issuers of an unknown sector, so for these the others are excluded.
  const isOther = sectors.has('Unknown')
  const issuers = [...present].flatMap(([issuer, sector]) => (sectors.has(sector) === isOther ? [] : [issuer]))
  if (issuers.length === 0) return isOther ? sql`1` : sql`0`
  return isOther ? sql`issuer_cik NOT IN ${issuers}` : sql`issuer_cik IN ${issuers}`
}

/** Returns the present sectors of these companies, in their order, with the dependencies on them. */
export async function presentSectors(
  issuers: readonly number[],
  sectors: IssuerSectors,
): Promise<{ sectors: string[]; parts: DataPart[] }> {
  const present = await sectors()
  return {
    sectors: issuers.map((issuer) => present.get(issuer) ?? 'Unknown'),
    parts: [...new Set(issuers)].map((issuer) => `issuer:${cikOf(issuer)}` as const),
  }
}
