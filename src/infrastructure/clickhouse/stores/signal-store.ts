// SignalStore on ClickHouse: signals, and the trades from which they are detected.
import { cikNumber, cikOf, type Cik } from '../../../domain/shared/identifiers.ts'
import type { JointFiling, Signal } from '../../../domain/signals/signal.ts'
import { spokenRole } from '../../../domain/wording/spoken-role.ts'
import type { ClickHouse, InsertRow } from '../connection/client.ts'
import { isEstimatedSql, standingSql, toCik } from '../connection/domain-sql.ts'
import { markSql } from './label-trades.ts'
import { goneSignalListRow, goneSignalRow, signalListRow, signalRow, signalStatesRow } from './signal-rows.ts'
import { Sql, sql } from '../connection/sql.ts'
import { newYorkDay } from '../../../domain/shared/new-york-time.ts'
import type { MarkedTrade, ShownSignal, StatesKey, SignalStore } from '../../../application/ports/analytics.ts'
import { inSlices } from '../../../application/shared/time-slices.ts'

const SIGNALS_PER_INSERT = 5_000
/** Some 150 bytes each; a statement can hold 4 MiB. */
const MARKS_BATCH = 2_000

// A total entered as the price can be more cents than an Int64 holds, which the engine refuses. Such a price is
// suspect and its total counts for nothing; this limit is below 2^53 cents.
const MAX_DOLLARS = 90_000_000_000_000

/** The columns of a trade, in the order of `markedTrade`; titles are interpreted there. */
const COLUMNS = [
  'id',
  'accession',
  'n',
  'subject',
  'toUnixTimestamp(filed_at)',
  'filed_day',
  'trade_day',
  "if(type IN ('buy', 'sell'), type, NULL)",
  "if(code = 'P', 'buy', 'sell')",
  `toInt64(least(total_value, ${MAX_DOLLARS}) * 100)`,
  'price',
  'price_status',
  'shares_status',
  'plan',
  'owner_ciks',
  'insider_name',
  'insider_title',
  standingSql.text,
  'arrayExists(role -> bitAnd(role, 2) != 0, owner_roles)',
  'arrayAll(role -> bitAnd(role, 4) != 0 AND bitAnd(role, 3) = 0, owner_roles)',
  'ceo',
  'ceo_cfo',
  'has(owner_ciks, subject)',
  'duplicate_of',
  'superseded_by',
  'toUnixTimestamp(superseded_at)',
  'company_name',
  'ticker',
  'trades.signals',
  'signalled',
  'routine',
  'significance',
  'earlier',
  `NOT ${isEstimatedSql.text}`,
]

type Row = [
  id: string,
  accession: MarkedTrade['accession'],
  place: MarkedTrade['place'],
  issuer: number,
  filedAt: MarkedTrade['filedAt'],
  filedDay: MarkedTrade['filedDay'],
  day: MarkedTrade['day'],
  direction: MarkedTrade['direction'],
  directionByCode: MarkedTrade['directionByCode'],
  valueCents: MarkedTrade['valueCents'],
  price: MarkedTrade['price'],
  priceStatus: MarkedTrade['priceStatus'],
  sharesStatus: MarkedTrade['sharesStatus'],
  plan: MarkedTrade['plan'],
  owners: number[],
  insiderName: MarkedTrade['insiderName'],
  title: string,
  standing: MarkedTrade['standing'],
  officer: MarkedTrade['officer'],
  tenPercentOnly: MarkedTrade['tenPercentOnly'],
  ceo: MarkedTrade['ceo'],
  isCeoOrCfo: MarkedTrade['isCeoOrCfo'],
  byIssuer: MarkedTrade['byIssuer'],
  duplicateOf: MarkedTrade['duplicateOf'],
  supersededBy: MarkedTrade['supersededBy'],
  supersededAt: MarkedTrade['supersededAt'],
  companyName: MarkedTrade['companyName'],
  ticker: MarkedTrade['ticker'],
  signals: MarkedTrade['signals'],
  signalled: MarkedTrade['signalled'],
  routine: MarkedTrade['routine'],
  significance: MarkedTrade['significance'],
  earlier: MarkedTrade['earlier'],
  isDayKnown: MarkedTrade['isDayKnown'],
]

export class ClickHouseSignalStore implements SignalStore {
  readonly #store: ClickHouse
  /** Of live filings the trades are in memory: what is read and marked here is history. */
  readonly #bulk: ClickHouse

  constructor(store: ClickHouse) {
    this.#store = store
    this.#bulk = store.forBulk
  }

  async trades(issuers: Cik[]): Promise<MarkedTrade[]> {
    const found = await this.#bulk.arrays<Row>(sql`
        SELECT ${new Sql(COLUMNS.join(', '))}
        FROM trades FINAL
        WHERE path = 'issuer' AND subject IN ${issuers.map(cikNumber)} AND code IN ('P', 'S')
        SETTINGS max_execution_time = 0`)
    const roles = new Map<string, string>()
    const trades: MarkedTrade[] = []
    for await (const values of inSlices(found)) trades.push(markedTrade(values, roles))
    return trades
  }

  async jointFilings(issuers: Cik[]): Promise<(JointFiling & { issuerCik: Cik })[]> {
    const found = await this.#store.rows<{
      issuerCik: Cik
      accession: string
      filedAt: number
      owners: number[]
      isDayKnown: boolean
    }>(sql`
      SELECT
        key AS issuerCik, accession, toUnixTimestamp(filed_at) AS filedAt, owner_ciks AS owners,
        NOT estimated AS isDayKnown
      FROM directory FINAL
      WHERE kind = 'issuer' AND key IN ${issuers} AND length(owner_ciks) > 1 AND NOT withdrawn`)
    return found.map(({ owners, ...filing }) => ({
      ...filing,
      filedDay: newYorkDay(filing.filedAt),
      ownerCiks: owners.map(cikOf),
    }))
  }

  async signals(issuers: Cik[]): Promise<ShownSignal[]> {
    const found = await this.#store.rows<{ whole: string }>(sql`
      SELECT whole
      FROM signals FINAL
      WHERE path = 'issuer' AND subject IN ${issuers.map(cikNumber)}`)
    const signals: ShownSignal[] = []
    for await (const { whole } of inSlices(found)) signals.push(JSON.parse(whole) as ShownSignal)
    return signals
  }

  async write(signals: ShownSignal[], gone: Signal[], version: number, formerStates: StatesKey[] = []): Promise<void> {
    // The lists first: signals are compared with the others, so that a process killed in between writes both again.
    await this.#insert('signal_list', [
      gone.values().map((signal) => goneSignalListRow(signal, version)),
      signals.values().map((shown) => signalListRow(shown, version)),
    ])
    await this.#insert('signal_states', [
      [...gone, ...formerStates].values().map((signal) => goneSignalListRow(signal, version)),
      signals.values().map((shown) => signalStatesRow(shown, version)),
    ])
    await this.#insert('signals', [
      gone.values().map((signal) => goneSignalRow(signal, version)),
      signals.values().map((shown) => signalRow(shown, version)),
    ])
  }

  async mark(marked: MarkedTrade[], version: number): Promise<void> {
    for (let from = 0; from < marked.length; from += MARKS_BATCH) {
      const batch = marked.slice(from, from + MARKS_BATCH)
      const [ofLists, ofTrades] = markSql(batch, version)
      await this.#bulk.command(ofLists)
      await this.#bulk.command(ofTrades)
    }
  }

  async issuers(): Promise<Cik[]> {
    const found = await this.#bulk.rows<{
      cik: Cik
    }>(sql`
      SELECT DISTINCT ${toCik('subject')} AS cik
      FROM (
        SELECT subject
        FROM trades
        WHERE path = 'issuer' AND code IN ('P', 'S')
        UNION ALL
        SELECT subject
        FROM signals
        WHERE path = 'issuer'
      )
      ORDER BY cik
      SETTINGS max_execution_time = 0`)
    return found.map(({ cik }) => cik)
  }

  #insert(table: string, sources: Iterable<InsertRow>[]): Promise<void> {
    const rows = sources.values().flatMap((source) => source)
    return this.#store.insertBatches(table, rows, SIGNALS_PER_INSERT)
  }
}

/**
 * Returns a trade as its row has it. `roles` has those interpreted before: a few hundred titles make up most of them.
 * Written out, since objects put together by name cost ten times as much.
 */
function markedTrade(row: Row, roles: Map<string, string>): MarkedTrade {
  const [
    id,
    accession,
    place,
    issuer,
    filedAt,
    filedDay,
    day,
    direction,
    directionByCode,
    valueCents,
    price,
    priceStatus,
    sharesStatus,
    plan,
    owners,
    insiderName,
    title,
    standing,
    officer,
    tenPercentOnly,
    ceo,
    isCeoOrCfo,
    byIssuer,
    duplicateOf,
    supersededBy,
    supersededAt,
    companyName,
    ticker,
    signals,
    signalled,
    routine,
    significance,
    earlier,
    isDayKnown,
  ] = row
  const key = `${title} ${officer} ${ceo} ${isCeoOrCfo}`
  let insiderRole = roles.get(key)
  if (insiderRole === undefined) roles.set(key, (insiderRole = spokenRole(title, { officer, ceo, isCeoOrCfo })))
  return {
    id,
    accession,
    place,
    filedAt,
    filedDay,
    day,
    direction,
    directionByCode,
    valueCents,
    price,
    priceStatus,
    sharesStatus,
    plan,
    insiderName,
    standing,
    officer,
    tenPercentOnly,
    ceo,
    isCeoOrCfo,
    byIssuer,
    duplicateOf,
    supersededBy,
    supersededAt,
    companyName,
    ticker,
    signals,
    signalled,
    routine,
    significance,
    earlier,
    isDayKnown,
    issuerCik: cikOf(issuer),
    ownerCiks: owners.map(cikOf),
    insiderRole,
  }
}
