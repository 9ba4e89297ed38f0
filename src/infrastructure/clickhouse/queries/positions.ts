// Positions of an insider, and the holders of a company: the evidence that filings give is read, and the domain makes
// positions of it.
import type { components } from '../../../contract.ts'
import { withDependencies, type DataDependencies } from '../../../application/changes/data-dependencies.ts'
import type { Clock } from '../../../application/ports/system.ts'
import { companyHolders, insiderPosition, type PositionsResult } from '../../../application/queries/position-answer.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { inSlices, runInSlices, timeSlices } from '../../../application/shared/time-slices.ts'
import type { Evidence } from '../../../domain/positions/evidence.ts'
import { positionSteps } from '../../../domain/positions/positions.ts'
import { parseCompany } from '../../../domain/filings/ticker-symbol.ts'
import { addDays } from '../../../domain/shared/calendar.ts'
import { cikNumber, cikOf, parseCik, type Cik } from '../../../domain/shared/identifiers.ts'
import { newYorkDay, newYorkToUtc } from '../../../domain/shared/new-york-time.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { describeCompany } from './shared/company-description.ts'
import type { CompanyLists } from './shared/company-list.ts'
import { issuersByTicker, partsOf } from './shared/named-companies.ts'

type CompanyHolders = components['schemas']['CompanyHolders']
type InsiderPositions = components['schemas']['InsiderPositions']

/** Filings read for one answer, the newest. */
const MOST_FILINGS = 10_000
/** Companies of an insider, the last reported, of which the filings of others are read, which show splits. */
const MOST_ISSUERS = 20

interface EvidenceRow {
  content: string
  own: 0 | 1
}

const acceptedBy = (asOf: number | undefined): Sql =>
  asOf === undefined
    ? sql`withdrawn_at = 0`
    : sql`
      filed_at <= ${new Date(asOf * 1000)} AND NOT estimated
      AND (withdrawn_at = 0 OR withdrawn_at > ${new Date(asOf * 1000)})`

/** Reads what all filings of a company say. */
export function issuerEvidenceSql(issuer: number, asOf?: number): Sql {
  return sql`
    SELECT content, true AS own
    FROM balances FINAL
    WHERE issuer_cik = ${issuer} AND ${acceptedBy(asOf)}
    ORDER BY filed_at DESC, accession DESC
    LIMIT ${MOST_FILINGS + 1}`
}

/** Reads what the filings of an insider say, and then those of others at the same companies. */
export function ownerEvidenceSql(cik: Cik, asOf?: number): Sql {
  const owned = sql`
    SELECT issuer_cik, max(filed_at) AS newest
    FROM directory
    WHERE kind = 'owner' AND key = ${cik}
    GROUP BY issuer_cik`
  return sql`
    SELECT content, has(owner_ciks, ${cikNumber(cik)}) AS own
    FROM balances FINAL
    WHERE issuer_cik IN (SELECT issuer_cik FROM (${owned}))
      AND (
        has(owner_ciks, ${cikNumber(cik)})
        OR issuer_cik IN (SELECT issuer_cik FROM (${owned}) ORDER BY newest DESC, issuer_cik LIMIT ${MOST_ISSUERS})
      )
      AND ${acceptedBy(asOf)}
    ORDER BY own DESC, filed_at DESC, accession DESC
    LIMIT ${MOST_FILINGS + 1}`
}

/** Finds the name in the first filing of an owner, for an instant before it. */
export function firstNameSql(cik: Cik): Sql {
  return sql`
    SELECT directory.name AS name
    FROM directory FINAL
    WHERE kind = 'owner' AND key = ${cik}
    ORDER BY filed_at, accession
    LIMIT 1`
}

/** Reads the first filing of a company, for an instant before it. */
export const firstEvidenceSql = (issuer: number): Sql => sql`
  SELECT content, true AS own
  FROM balances FINAL
  WHERE issuer_cik = ${issuer}
  ORDER BY filed_at, accession
  LIMIT 1`

export function positions(store: ClickHouse, lists: CompanyLists, clock: Clock): Queries['positions'] {
  return async (asked, asOf) => {
    const cik = parseCik(asked)
    if (cik === null) return null
    const found = await read(store, ownerEvidenceSql(cik, asOf))
    const own = found.evidence.filter((_, index) => found.rows[index]!.own)
    const newest = own[0]
    const name = newest ? nameIn(newest, cik) : (await store.rows<{ name: string }>(firstNameSql(cik)))[0]?.name
    if (name === undefined || (!newest && asOf === undefined)) return null
    const { byIssuer } = await lists()
    const at = instant(clock, found.evidence, asOf)
    // In the order of the newest filing of each, as they were read.
    const newestOf = new Map(own.toReversed().map((each) => [each.issuerCik, each]))
    const issuers = [...new Set(own.map(({ issuerCik }) => issuerCik))]
    const ofIssuers = Map.groupBy(found.evidence, ({ issuerCik }) => issuerCik)
    const companies: InsiderPositions['companies'] = []
    const pause = timeSlices()
    for (const issuer of issuers) {
      const made = await runInSlices(positionSteps(ofIssuers.get(issuer)!, at), pause)
      const present = (byIssuer.get(cikNumber(issuer)) ?? []).map(({ ticker }) => ticker)
      const position: PositionsResult = { ...made, newest: newestOf.get(issuer)!, present }
      companies.push(insiderPosition(position, cik, at))
    }
    const complete = found.isWhole || own.length < found.evidence.length
    const parts = [`insider:${cik}` as const, ...issuers.map((issuer) => `issuer:${issuer}` as const)]
    return withDependencies({ cik, name, complete, companies }, dependencies(parts, clock, asOf))
  }
}

export function holders(store: ClickHouse, lists: CompanyLists, clock: Clock): Queries['holders'] {
  return async (asked, limit, asOf) => {
    const named = parseCompany(asked)
    if (named === null) return null
    const known = await lists()
    const bySymbol = named.cik === null ? await issuersByTicker(lists, [named.ticker], asOf) : null
    const found = bySymbol?.found.get(named.ticker!)
    const issuer = named.cik === null ? found?.issuer : cikNumber(named.cik)
    if (issuer === undefined) return null
    const { evidence, isWhole } = await read(store, issuerEvidenceSql(issuer, asOf))
    const isBefore = evidence.length === 0 && asOf !== undefined
    const naming = isBefore ? (await read(store, firstEvidenceSql(issuer))).evidence : evidence
    if (naming.length === 0) return null
    const at = instant(clock, evidence, asOf)
    const described = describeCompany(known, {
      issuer,
      named: found ? { ticker: found.ticker, cik: null } : named,
      filings: naming.map(({ companyName: name, symbols }) => ({ name, symbols, sector: 'Unknown', sic: '' })),
    })!
    const made = await runInSlices(positionSteps(evidence, at))
    const answer: CompanyHolders = {
      cik: cikOf(issuer),
      ticker: described.ticker,
      name: described.name,
      complete: isWhole,
      classes: companyHolders(made, limit),
    }
    return withDependencies(answer, dependencies(partsOf([issuer], bySymbol?.tried ?? []), clock, asOf))
  }
}

async function read(store: ClickHouse, query: Sql) {
  const found = await store.rows<EvidenceRow>(query)
  const rows = found.slice(0, MOST_FILINGS)
  const evidence: Evidence[] = []
  for await (const { content } of inSlices(rows)) evidence.push(JSON.parse(content) as Evidence)
  return { rows, evidence, isWhole: found.length === rows.length }
}

const nameIn = ({ owners }: Evidence, cik: Cik): string => owners.find((owner) => owner.cik === cik)!.name

/** Without `asOf` all filings count, also one accepted by a clock ahead of ours. */
function instant(clock: Clock, evidence: readonly Evidence[], asOf: number | undefined): number {
  const now = Math.floor(clock() / 1000)
  return asOf ?? evidence.reduce((latest, { filedAt }) => Math.max(latest, filedAt), now)
}

/** A line grows old, and an option expires, at midnight in New York. */
function dependencies(parts: DataDependencies['parts'], clock: Clock, asOf: number | undefined): DataDependencies {
  if (asOf !== undefined) return { parts }
  const today = newYorkDay(Math.floor(clock() / 1000))
  return { parts, until: newYorkToUtc(addDays(today, 1), 0) * 1000 }
}
