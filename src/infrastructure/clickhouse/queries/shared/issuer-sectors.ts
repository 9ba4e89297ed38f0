// The present sector of every issuer, in memory: by the SIC of its newest filing that has one, else by what EDGAR
// gives, else by the office of a filing, as a company's page says it. After a change only the issuers that changed are
// read again.
import type { DataPart } from '../../../../application/changes/dependence.ts'
import type { Sector } from '../../../../domain/filings/sector.ts'
import { cikNumber, type Cik } from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import type { CompanyLists } from './company-list.ts'
import type { Freshness } from './freshness.ts'

/** Returns the sectors of issuers that have a known one, as they are now. */
export type IssuerSectors = () => Promise<ReadonlyMap<number, string>>

/** What filings say of an issuer's sector; '' where they do not. */
interface FiledSector {
  issuer: number
  bySic: string
  byOffice: string
}

/** Reads what filings say, of all issuers or of some. */
export function filedSectorsSql(issuers?: readonly Cik[]): Sql {
  return sql`
    SELECT
      issuer_cik AS issuer, argMaxIf(sector, (filed_at, accession), sic != '') AS bySic,
      argMax(sector, (filed_at, accession)) AS byOffice
    FROM directory FINAL
    WHERE kind = 'issuer' AND ${issuers ? sql`key IN ${issuers}` : sql`1`} AND sector != 'Unknown'
    GROUP BY issuer_cik`
}

/** What filings said at a version; a new object whenever it was read again. */
interface FiledSectors {
  filed: Map<number, FiledSector>
  version: number
  at: number
}

/** What is read without knowing of changes is used for this long. */
const UNSURE_MS = 250

export function issuerSectors(
  store: ClickHouse,
  lists: CompanyLists,
  { changes, isUpToDate }: Freshness,
): IssuerSectors {
  let known: FiledSectors | null = null
  let merged: { found: FiledSectors; sectors: Map<number, string>; present: Map<number, string> } | null = null
  const read = async () => {
    const [version, at] = [changes.version(), performance.now()]
    if (known && isUpToDate() && known.version === version) return known
    const changed = known && isUpToDate() ? changes.issuersSince(known.version) : null
    if (known && !isUpToDate() && at - known.at < UNSURE_MS) return known
    if (known && changed) {
      const filed = known.filed
      const again = changed.length === 0 ? [] : await store.rows<FiledSector>(filedSectorsSql(changed))
      for (const cik of changed) filed.delete(Number(cik))
      for (const each of again) filed.set(each.issuer, each)
      known = { filed, version, at }
    } else {
      const all = await store.rows<FiledSector>(filedSectorsSql())
      known = { filed: new Map(all.map((each) => [each.issuer, each])), version, at }
    }
    return known
  }
  // One after the other: each continues from what the one before has read.
  let last: Promise<unknown> = Promise.resolve()
  return async () => {
    const reading = last.then(read, read)
    last = reading.catch(() => {})
    const [found, { sectors }] = await Promise.all([reading, lists()])
    if (merged?.found === found && merged.sectors === sectors) return merged.present
    const present = new Map(sectors)
    for (const [issuer, { bySic, byOffice }] of found.filed)
      present.set(issuer, bySic || (sectors.get(issuer) ?? byOffice))
    merged = { found, sectors, present }
    return present
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
/** Where rows that an earlier version wrote lack `sharesStatus`, until they are written again. */
const NO_SHARES_STATUS = /("sharesOwnedAfter":[^,"]+,)("priceStatus":)/

/** Adds the company's present sector to the details of transactions; returns them with what they then depend on. */
export async function withSectors(
  transactions: readonly string[],
  sectors: IssuerSectors,
): Promise<{ transactions: string[]; parts: DataPart[] }> {
  const present = await sectors()
  const issuers = new Set<Cik>()
  const complete = transactions.map((json) =>
    json
      .replace(ISSUER, (found, cik: Cik) => {
        issuers.add(cik)
        return `${found}"sector":"${present.get(cikNumber(cik)) ?? 'Unknown'}",`
      })
      .replace(NO_SHARES_STATUS, '$1"sharesStatus":"as_filed",$2'),
  )
  return { transactions: complete, parts: [...issuers].map((cik) => `issuer:${cik}` as const) }
}
