// The query of one signal with its evidence, also after it has ended. It reads `signals` and `trades`, which keep rows
// that are no longer listed.
import type { components } from '../../../contract.ts'
import { cikNumber, parseTransactionId } from '../../../domain/shared/identifiers.ts'
import { timestampOf } from '../../../domain/shared/new-york-time.ts'
import { withDependencies } from '../../../application/changes/data-dependencies.ts'
import type { SignalResult, Queries } from '../../../application/queries/queries.ts'
import { toDetail, toTransaction } from '../../../application/queries/transactions/transaction-fields.ts'
import type { Evidence } from '../../../domain/signals/signal.ts'
import type { Trade } from '../../../domain/trades/trade.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { presentSignal } from '../stores/signal-rows.ts'
import { readTrades } from '../stores/trade-rows.ts'
import { completeDetails, type DetailSources } from './shared/complete-details.ts'
import type { ListedTransaction } from './shared/transaction-list.ts'
import type { ShownSignal } from '../../../application/ports/analytics.ts'

type Schemas = components['schemas']
type Transaction = Schemas['Transaction']

/** Selects a signal, by the issuer's CIK in its id. */
export function signalSql(id: string): Sql {
  return sql`
    SELECT whole
    FROM signals FINAL
    WHERE path = 'issuer' AND subject = ${issuerOf(id)} AND id = ${id}`
}

export const tradesOfSignal = (issuer: number, ids: string[]): Sql => sql`issuer_cik = ${issuer} AND id IN ${ids}`

export function signal(store: ClickHouse, details: DetailSources): Queries['signal'] {
  return async (id, detail = false) => {
    const [row] = await store.rows<{ whole: string }>(signalSql(id))
    if (!row) return null
    const shown = JSON.parse(row.whole) as ShownSignal
    const transactions = await transactionsOf(store, shown, detail ? details : null)
    const answer = { signal: presentSignal(shown), ...evidenceFields(shown, transactions), rules: shown.rules }
    return withDependencies(answer, { parts: [`issuer:${shown.signal.issuerCik}`] })
  }
}

/** Returns whether some signal was detected with another version of the rules. */
export async function hasSignalsOfOtherRules(store: ClickHouse, version: string): Promise<boolean> {
  const others = await store.rows(sql`
    SELECT id
    FROM signals FINAL
    WHERE path = 'issuer' AND rules != ${version}
    LIMIT 1`)
  return others.length > 0
}

const issuerOf = (id: string): number => Number(id.split('-')[1])

/** Trades that a statement reads, few enough to be parsed in a turn of the event loop. */
const IDS_BATCH = 500

/**
 * Returns the signal's transactions, newest first as in the feed. Sorted here, since several statements may be needed.
 */
async function transactionsOf(
  store: ClickHouse,
  { signal }: ShownSignal,
  details: DetailSources | null,
): Promise<Transaction[]> {
  const ids = [...signal.counted, ...signal.leftOut.map((each) => each.id)]
  const all: Transaction[] = []
  for (let from = 0; from < ids.length; from += IDS_BATCH) {
    const batch = ids.slice(from, from + IDS_BATCH)
    const trades = await readTrades(store, tradesOfSignal(Number(signal.issuerCik), batch))
    if (details === null) {
      all.push(...trades.map((trade) => toTransaction(trade)))
      continue
    }
    const { transactions } = await completeDetails(store, trades.map(listed), details)
    all.push(...transactions.map((json) => JSON.parse(json) as Transaction))
  }
  const places = new Map(all.map((transaction) => [transaction, placeOf(transaction)]))
  return all.sort((a, b) => (places.get(a)! < places.get(b)! ? 1 : -1))
}

/** Returns a transaction as a list has it. */
const listed = (trade: Trade): ListedTransaction => ({
  transaction: JSON.stringify(toTransaction(trade)),
  detail: JSON.stringify(toDetail(trade)),
  issuer: cikNumber(trade.issuerCik),
  code: trade.code,
})

/** Returns a text that sorts in the feed's order, reversed. */
function placeOf({ filingDate, id }: Transaction): string {
  const { accession, place } = parseTransactionId(id)
  return `${filingDate} ${accession} ${String(place).padStart(20, '0')}`
}

/** Returns the fields of the answer with the signal's evidence and history. */
function evidenceFields({ signal }: ShownSignal, transactions: Transaction[]): Omit<SignalResult, 'signal' | 'rules'> {
  const counted = new Set(signal.counted)
  const reasons = new Map(signal.leftOut.map(({ id, reason }) => [id, reason]))
  return {
    status: signal.endedAt === null ? 'holding' : 'ended',
    endedAt: signal.endedAt === null ? null : timestampOf(signal.endedAt),
    changedAt: timestampOf(signal.changedAt),
    firstTradeDate: signal.firstDay,
    lastTradeDate: signal.lastDay,
    insiders: signal.persons.map(({ cik, name }) => ({ cik, name })),
    evidence: shownEvidence(signal.evidence),
    counted: transactions.filter(({ id }) => counted.has(id)),
    leftOut: transactions
      .filter(({ id }) => reasons.has(id))
      .map((transaction) => ({ transaction, reason: reasons.get(transaction.id)! })),
    history: signal.history.map(({ at, accession, severity, insiderCount, totalCents }) => ({
      at: timestampOf(at),
      accessionNumber: accession,
      severity,
      insiderCount,
      totalValue: dollars(totalCents),
    })),
  }
}

function shownEvidence(evidence: Evidence): Schemas['SignalEvidence'] {
  switch (evidence.kind) {
    case 'cluster':
      return { kind: 'cluster', officers: evidence.officers, withCeoOrCfo: evidence.chief }
    case 'own-mean':
      return {
        kind: 'own_mean',
        meanValue: dollars(evidence.mean),
        earlierTrades: evidence.trades,
        ratio: evidence.ratio,
      }
    case 'percentile':
      return { kind: 'percentile', percentileValue: dollars(evidence.percentile), companyTrades: evidence.trades }
    case 'ceo':
      return { kind: 'ceo' }
    case 'reversal':
      return {
        kind: 'reversal',
        oppositeTrades: evidence.against,
        lastTrades: evidence.last,
        lastOpposite: evidence.opposite,
      }
  }
}

const dollars = (cents: number): number => Math.round(cents) / 100
