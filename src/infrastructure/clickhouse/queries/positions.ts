// The queries of an insider's positions and of a company's holders. They read the balances in filings, from which a
// worker thread computes positions.
import type { components } from '../../../contract.ts'
import { withDependencies, type DataDependencies } from '../../../application/changes/data-dependencies.ts'
import type { Compute } from '../../../application/ports/computations.ts'
import type { Clock } from '../../../application/ports/system.ts'
import { JsonText } from '../../../application/queries/json-text.ts'
import type { InsiderHoldings } from '../../../application/queries/position-answer.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import type { Evidence } from '../../../domain/positions/evidence.ts'
import { displayTicker, parseCompany } from '../../../domain/filings/ticker-symbol.ts'
import { addDays } from '../../../domain/shared/calendar.ts'
import { cikNumber, cikOf, parseCik, type Cik, type Ticker } from '../../../domain/shared/identifiers.ts'
import { newYorkDay, newYorkToUtc } from '../../../domain/shared/new-york-time.ts'
import { deadlineSignal } from '../../deadline.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { MOST_FILINGS, namingOf } from './evidence-rows.ts'
import { describeCompany } from './shared/company-description.ts'
import type { CompanyLists } from './shared/company-list.ts'
import { issuerOf, partsOf } from './shared/named-companies.ts'

type CompanyHolders = components['schemas']['CompanyHolders']
type InsiderPositions = components['schemas']['InsiderPositions']

/** Filings of other owners, which show splits, are read for so many companies that the insider reported last. */
const MOST_ISSUERS = 20

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
  SELECT content
  FROM balances FINAL
  WHERE issuer_cik = ${issuer}
  ORDER BY filed_at, accession
  LIMIT 1`

/** What the answers are made from. */
interface PositionSources {
  store: ClickHouse
  lists: CompanyLists
  clock: Clock
  compute: Compute
}

export function positions({ store, lists, clock, compute }: PositionSources): Queries['positions'] {
  return async (text, asOf) => {
    const cik = parseCik(text)
    if (cik === null) return null
    const asked = {
      rows: await store.lines(ownerEvidenceSql(cik, asOf)),
      asOf,
      now: secondsOf(clock),
      cik,
    }
    const { name: filed, complete, holdings } = await compute('caller', 'insiderHoldings', asked, deadlineSignal())
    if (holdings.length === 0 && asOf === undefined) return null
    const name = filed ?? (await store.rows<{ name: string }>(firstNameSql(cik)))[0]?.name
    if (name === undefined) return null
    const { byIssuer } = await lists()
    const companies = holdings.map((each) => positionText(each, byIssuer.get(cikNumber(each.issuerCik)) ?? []))
    const parts = [`insider:${cik}` as const, ...holdings.map(({ issuerCik }) => `issuer:${issuerCik}` as const)]
    const answer = JsonText.object<InsiderPositions>({ cik, name, complete, companies: JsonText.list(companies) })
    return withDependencies(answer, dependencies(parts, clock, asOf))
  }
}

/** Returns an InsiderPosition as JSON. `listed` is the company's place in the SEC's list. */
function positionText({ issuerCik, rest, symbols, typed }: InsiderHoldings, listed: readonly { ticker: Ticker }[]) {
  const present = listed.map(({ ticker }) => ticker)
  const head = JSON.stringify({ issuerCik, ticker: displayTicker(symbols, present, typed) })
  return `${head.slice(0, -1)},${rest.slice(1)}`
}

export function holders({ store, lists, clock, compute }: PositionSources): Queries['holders'] {
  return async (text, limit, asOf) => {
    const company = parseCompany(text)
    if (company === null) return null
    const match = await issuerOf(lists, company, asOf)
    if (match === null) return null
    const { issuer, named, tried } = match
    const asked = {
      rows: await store.lines(issuerEvidenceSql(issuer, asOf)),
      asOf,
      now: secondsOf(clock),
      limit,
    }
    const { filed, complete, classes } = await compute('caller', 'companyHolders', asked, deadlineSignal())
    const naming = filed ?? (asOf === undefined ? null : await firstNaming(store, issuer))
    if (naming === null) return null
    const described = describeCompany(await lists(), {
      issuer,
      named,
      filings: [{ ...naming, sector: 'Unknown', sic: '' }],
    })!
    const answer = JsonText.object<CompanyHolders>({
      cik: cikOf(issuer),
      ticker: described.ticker,
      name: described.name,
      complete,
      classes: new JsonText(classes),
    })
    return withDependencies(answer, dependencies(partsOf([issuer], tried), clock, asOf))
  }
}

async function firstNaming(store: ClickHouse, issuer: number): Promise<ReturnType<typeof namingOf>> {
  const first = await store.rows<{ content: string }>(firstEvidenceSql(issuer))
  return namingOf(first.map(({ content }) => JSON.parse(content) as Evidence))
}

const secondsOf = (clock: Clock): number => Math.floor(clock() / 1000)

/** Returns the dependencies. At midnight in New York, lines become stale and options expire. */
function dependencies(parts: DataDependencies['parts'], clock: Clock, asOf: number | undefined): DataDependencies {
  if (asOf !== undefined) return { parts }
  const today = newYorkDay(secondsOf(clock))
  return { parts, until: newYorkToUtc(addDays(today, 1), 0) * 1000 }
}
