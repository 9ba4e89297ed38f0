// The queries of an insider's positions and of a company's holders. They read the balances in filings, from which the
// domain computes positions.
import type { components } from '../../../contract.ts'
import { withDependencies, type DataDependencies } from '../../../application/changes/data-dependencies.ts'
import type { Clock } from '../../../application/ports/system.ts'
import { companyHolders, insiderPosition, type PositionsResult } from '../../../application/queries/position-answer.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { inSlices, runInSlices, timeSlices } from '../../../application/shared/time-slices.ts'
import type { Evidence } from '../../../domain/positions/evidence.ts'
import { positionSteps } from '../../../domain/positions/positions.ts'
import { byAcceptance } from '../../../domain/shared/order.ts'
import { parseCompany } from '../../../domain/filings/ticker-symbol.ts'
import { addDays } from '../../../domain/shared/calendar.ts'
import { cikNumber, cikOf, parseCik, type Cik } from '../../../domain/shared/identifiers.ts'
import { newYorkDay, newYorkToUtc } from '../../../domain/shared/new-york-time.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { describeCompany } from './shared/company-description.ts'
import type { CompanyLists } from './shared/company-list.ts'
import { issuerOf, partsOf } from './shared/named-companies.ts'

type CompanyHolders = components['schemas']['CompanyHolders']
type InsiderPositions = components['schemas']['InsiderPositions']

/** The most filings that are read for one answer, the newest first. */
const MOST_FILINGS = 10_000
/** Filings of other owners, which show splits, are read for so many companies that the insider reported last. */
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

/** Selects the evidence of all filings of a company. */
export function issuerEvidenceSql(issuer: number, asOf?: number): Sql {
  return sql`
    SELECT content, true AS own
    FROM balances FINAL
    WHERE issuer_cik = ${issuer} AND ${acceptedBy(asOf)}
    ORDER BY filed_at DESC, accession DESC
    LIMIT ${MOST_FILINGS + 1}`
}

/** Selects the evidence of an insider's filings, and then of other owners' at the same companies. */
export function ownerEvidenceSql(cik: Cik, asOf?: number): Sql {
  const owned = sql`
    SELECT issuer_cik, max(filed_at) AS newest
    FROM directory
    WHERE kind = 'owner' AND key = ${cik}${asOf === undefined ? sql`` : sql` AND filed_at <= ${new Date(asOf * 1000)}`}
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

/** Selects the name in the first filing of an owner, for an instant before it. */
export function firstNameSql(cik: Cik): Sql {
  return sql`
    SELECT directory.name AS name
    FROM directory FINAL
    WHERE kind = 'owner' AND key = ${cik}
    ORDER BY filed_at, accession
    LIMIT 1`
}

/** Selects the first filing of a company, for an instant before it. */
export const firstEvidenceSql = (issuer: number): Sql => sql`
  SELECT content, true AS own
  FROM balances FINAL
  WHERE issuer_cik = ${issuer}
  ORDER BY filed_at, accession
  LIMIT 1`

export function positions(store: ClickHouse, lists: CompanyLists, clock: Clock): Queries['positions'] {
  return async (text, asOf) => {
    const cik = parseCik(text)
    if (cik === null) return null
    const { rows, evidence, isComplete } = await read(store, ownerEvidenceSql(cik, asOf))
    const own = evidence.filter((_, index) => rows[index]!.own)
    const newest = own[0]
    const name = newest ? nameIn(newest, cik) : (await store.rows<{ name: string }>(firstNameSql(cik)))[0]?.name
    if (name === undefined || (!newest && asOf === undefined)) return null
    const { byIssuer } = await lists()
    const at = instant(clock, evidence, asOf)
    // The evidence comes newest first, so the issuers are in the order of their newest filings.
    const newestOf = new Map(own.toReversed().map((each) => [each.issuerCik, each]))
    const issuers = [...new Set(own.map(({ issuerCik }) => issuerCik))]
    const ofIssuers = Map.groupBy(evidence, ({ issuerCik }) => issuerCik)
    const companies: InsiderPositions['companies'] = []
    const pause = timeSlices()
    for (const issuer of issuers) {
      const ofIssuer = ofIssuers.get(issuer)!
      const positions = await runInSlices(positionSteps(ofIssuer, at), pause)
      const typed =
        ofIssuer
          .filter(({ symbols }) => symbols.length > 0)
          .sort(byAcceptance)
          .at(-1)?.symbols ?? []
      const present = (byIssuer.get(cikNumber(issuer)) ?? []).map(({ ticker }) => ticker)
      const result: PositionsResult = { ...positions, newest: newestOf.get(issuer)!, present, typed }
      companies.push(insiderPosition(result, cik, at))
    }
    const complete = isComplete || own.length < evidence.length
    const parts = [`insider:${cik}` as const, ...issuers.map((issuer) => `issuer:${issuer}` as const)]
    return withDependencies({ cik, name, complete, companies }, dependencies(parts, clock, asOf))
  }
}

export function holders(store: ClickHouse, lists: CompanyLists, clock: Clock): Queries['holders'] {
  return async (text, limit, asOf) => {
    const company = parseCompany(text)
    if (company === null) return null
    const match = await issuerOf(lists, company, asOf)
    if (match === null) return null
    const { issuer, named, tried } = match
    const { evidence, isComplete } = await read(store, issuerEvidenceSql(issuer, asOf))
    const isBefore = evidence.length === 0 && asOf !== undefined
    const naming = isBefore ? (await read(store, firstEvidenceSql(issuer))).evidence : evidence
    if (naming.length === 0) return null
    const at = instant(clock, evidence, asOf)
    const described = describeCompany(await lists(), {
      issuer,
      named,
      filings: naming.map(({ companyName: name, symbols }) => ({ name, symbols, sector: 'Unknown', sic: '' })),
    })!
    const positions = await runInSlices(positionSteps(evidence, at))
    const answer: CompanyHolders = {
      cik: cikOf(issuer),
      ticker: described.ticker,
      name: described.name,
      complete: isComplete,
      classes: companyHolders(positions, limit),
    }
    return withDependencies(answer, dependencies(partsOf([issuer], tried), clock, asOf))
  }
}

/** Reads evidence, one for each row. `isComplete`: there are no more than `MOST_FILINGS`. */
async function read(store: ClickHouse, query: Sql) {
  const all = await store.rows<EvidenceRow>(query)
  const rows = all.slice(0, MOST_FILINGS)
  const evidence: Evidence[] = []
  for await (const { content } of inSlices(rows)) evidence.push(JSON.parse(content) as Evidence)
  return { rows, evidence, isComplete: all.length === rows.length }
}

const nameIn = ({ owners }: Evidence, cik: Cik): string => owners.find((owner) => owner.cik === cik)!.name

/** Returns the instant of the answer. Without `asOf` all filings count, even if EDGAR's clock is ahead of ours. */
function instant(clock: Clock, evidence: readonly Evidence[], asOf: number | undefined): number {
  const now = Math.floor(clock() / 1000)
  return asOf ?? evidence.reduce((latest, { filedAt }) => Math.max(latest, filedAt), now)
}

/** Returns the dependencies. At midnight in New York, lines become stale and options expire. */
function dependencies(parts: DataDependencies['parts'], clock: Clock, asOf: number | undefined): DataDependencies {
  if (asOf !== undefined) return { parts }
  const today = newYorkDay(Math.floor(clock() / 1000))
  return { parts, until: newYorkToUtc(addDays(today, 1), 0) * 1000 }
}
