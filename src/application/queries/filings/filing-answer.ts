// A filing as it is answered: what the document says, cell by cell as filed, and what was decided about each row.
import type { components } from '../../../contract.ts'
import type { DerivativeRow, Filing, NonDerivativeRow } from '../../../domain/filings/filing.ts'
import { ownerTitle } from '../../../domain/filings/insider-title.ts'
import { cleanSymbols, displayTicker } from '../../../domain/filings/ticker-symbol.ts'
import { timestampOf } from '../../../domain/shared/new-york-time.ts'
import {
  parseTransactionId,
  transactionId,
  type AccessionNumber,
  type Cik,
  type DecimalText,
  type Ticker,
} from '../../../domain/shared/identifiers.ts'
import type { Trade } from '../../../domain/trades/trade.ts'
import type { FilingRecord, RecordedFiling } from '../../ports/filings.ts'
import type { DataSetFiling } from '../../ports/data-sets.ts'

type Schemas = components['schemas']
export type FilingDetail = Schemas['FilingDetail']
type Decision = Schemas['FilingDecision']

/** What was decided about a transaction. */
export type DecidedTrade = Pick<
  Trade,
  | 'id'
  | 'place'
  | 'ticker'
  | 'type'
  | 'totalValue'
  | 'priceStatus'
  | 'significance'
  | 'signals'
  | 'listed'
  | 'duplicateOf'
  | 'supersededBy'
  | 'supersededAt'
>

/** What the analytics store has of a filing. */
export interface FilingDecisions {
  /** The issuer's symbols in the SEC's list. */
  present: Ticker[]
  trades: DecidedTrade[]
  /** Filings of which this one superseded rows. */
  amends: AccessionNumber[]
  /** Notices of proposed sales that its transactions count for, by the id of the transaction. */
  notices: ReadonlyMap<string, Schemas['LinkedNotice'][]>
}

/** The names that a filing of a data set gives. */
export interface FilingNames {
  companyName: string
  owners: { cik: Cik; name: string }[]
}

/** What a filing says in the cells that are answered. */
export type FilingContent = Omit<
  Filing,
  'kind' | 'periodRaw' | 'nonDerivative' | 'derivative' | 'repaired' | 'header'
> & {
  nonDerivative: Cells<NonDerivativeRow>[]
  derivative: Cells<DerivativeRow>[]
}
type Cells<Row> = Omit<Row, 'table' | 'dateRaw' | 'footnotes' | 'derivativeFootnotes'>

/** What the files of a data set say of a filing. */
export interface FilingDetails {
  content: FilingContent
  /** Surrogate keys of the rows in `content.nonDerivative`; null for holdings. */
  keys: (number | null)[]
  filedBasis: string
  /** Everything could be read. */
  complete: boolean
}

/** Returns the answer for a filing whose document is stored. */
export function documentAnswer(
  filing: Filing,
  recorded: RecordedFiling & Withdrawable,
  decisions: FilingDecisions,
): FilingDetail {
  const isForm4 = isOfForm4(filing)
  const byPlace = new Map(decisions.trades.map((trade) => [trade.place, trade]))
  const rowOf = (row: NonDerivativeRow, place: number | null): Schemas['FilingRow'] => {
    const trade = isForm4 && place !== null ? byPlace.get(place) : undefined
    const id = isForm4 && place !== null ? transactionId(filing.accession, place) : null
    return tableOneRow(row, { place, id, trade })
  }
  return answer(filing, decisions, {
    source: 'document',
    complete: true,
    repaired: filing.repaired,
    filedAt: recorded.filedAt,
    filedBasis: recorded.filedBasis,
    seenAt: timestampOf(recorded.seenAt),
    withdrawnAt: recorded.withdrawnAt,
    nonDerivative: placed(filing.nonDerivative).map(([row, place]) => rowOf(row, place)),
    derivative: placed(filing.derivative).map(([row, place]) => derivativeRow(row, place)),
  })
}

/** Returns the answer for a filing that a data set gave whole. The order of rows is unknown, so they have no places. */
export function detailsAnswer(
  { filedAt, withdrawnAt }: Pick<DataSetFiling, 'filedAt'> & Withdrawable,
  { content, keys, filedBasis, complete }: FilingDetails,
  decisions: FilingDecisions,
): FilingDetail {
  const { trades } = decisions
  const byKey = new Map(trades.map((trade) => [trade.place, trade]))
  // Where a filing has one transaction, its place is known and is part of its id.
  const isOnly = trades.length === 1 && keys.filter((key) => key !== null).length === 1
  const rowOf = (row: FilingContent['nonDerivative'][number], key: number | null): Schemas['FilingRow'] => {
    const trade = key === null || !isOfForm4(content) ? undefined : isOnly ? trades[0] : byKey.get(key)
    return tableOneRow(row, { place: null, id: trade?.id ?? null, trade })
  }
  return answer(content, decisions, {
    source: 'data_set',
    complete,
    repaired: false,
    filedAt,
    filedBasis,
    seenAt: null,
    withdrawnAt,
    nonDerivative: content.nonDerivative.map((row, index) => rowOf(row, keys[index]!)),
    derivative: content.derivative.map((row) => derivativeRow(row, null)),
  })
}

type Withdrawable = Pick<FilingRecord, 'withdrawnAt'>

interface Answered
  extends
    Withdrawable,
    Pick<FilingDetail, 'source' | 'complete' | 'repaired' | 'seenAt' | 'nonDerivative' | 'derivative'> {
  filedAt: number
  filedBasis: string
}

function answer(filing: FilingContent, { present, trades, amends }: FilingDecisions, from: Answered): FilingDetail {
  const { accession, formType, issuer } = filing
  const ticker = tickerOf(trades, cleanSymbols(issuer.tickerRaw), present)
  return {
    accessionNumber: accession,
    form: formType,
    source: from.source,
    complete: from.complete,
    repaired: from.repaired,
    url: urlOf(accession, issuer.cik),
    filingDate: timestampOf(from.filedAt),
    filingDateBasis: from.filedBasis as FilingDetail['filingDateBasis'],
    seenAt: from.seenAt,
    withdrawnAt: from.withdrawnAt === null ? null : timestampOf(from.withdrawnAt),
    periodOfReport: filing.periodOfReport,
    schemaVersion: filing.schemaVersion,
    dateOfOriginalSubmission: filing.dateOfOriginalSubmission,
    ...chainOf(trades, amends),
    plan10b51Box: filing.aff10b5One,
    notSubjectToSection16: filing.notSubjectToSection16,
    noSecuritiesOwned: filing.noSecuritiesOwned,
    issuer: { cik: issuer.cik, name: issuer.name, ticker, tickerAsFiled: issuer.tickerRaw },
    owners: filing.owners.map((owner) => {
      const { cik, name, officerTitle, ...boxes } = owner
      return { cik, name, title: ownerTitle(owner, filing), officerTitle, ...boxes }
    }),
    nonDerivative: from.nonDerivative,
    derivative: from.derivative,
    footnotes: filing.footnotes,
    remarks: filing.remarks,
    signatures: filing.signatures,
  }
}

/** Returns how many transactions of the filing something was, or is to be, decided about. */
export function decidedCount(filing: Pick<FilingContent, 'formType' | 'nonDerivative'>): number {
  return isOfForm4(filing) ? filing.nonDerivative.filter(({ kind }) => kind === 'transaction').length : 0
}

const isOfForm4 = ({ formType }: Pick<Filing, 'formType'>): boolean => formType === '4' || formType === '4/A'

/**
 * Returns the answer for a filing of a quarter that an earlier version loaded: of its transactions in Table I what is
 * stored of them, and nothing of the rest.
 */
export function dataSetAnswer(
  filing: DataSetFiling & Withdrawable,
  { companyName, owners }: FilingNames,
  { present, amends }: FilingDecisions,
  trades: Trade[],
): FilingDetail {
  const { accession, form, issuerCik, filedAt, symbols, withdrawnAt } = filing
  const ticker = tickerOf(trades, symbols, present)
  const roles = new Map(trades[0]?.owners.map((owner) => [owner.cik, owner]))
  return {
    accessionNumber: accession,
    form,
    source: 'data_set',
    complete: false,
    repaired: false,
    url: urlOf(accession, issuerCik),
    filingDate: timestampOf(filedAt),
    filingDateBasis: (trades[0]?.filedBasis ?? 'filed-date') as FilingDetail['filingDateBasis'],
    seenAt: null,
    withdrawnAt: withdrawnAt === null ? null : timestampOf(withdrawnAt),
    periodOfReport: null,
    schemaVersion: null,
    dateOfOriginalSubmission: trades[0]?.originalDate ?? null,
    ...chainOf(trades, amends),
    plan10b51Box: null,
    notSubjectToSection16: null,
    noSecuritiesOwned: null,
    issuer: { cik: issuerCik, name: companyName, ticker, tickerAsFiled: null },
    owners: owners.map(({ cik, name }) => {
      const known = roles.get(cik)
      return {
        cik,
        name,
        title: known?.title ?? '',
        officerTitle: null,
        isDirector: known?.isDirector ?? null,
        isOfficer: known?.isOfficer ?? null,
        isTenPercentOwner: known?.isTenPercentOwner ?? null,
        isOther: known?.isOther ?? null,
        otherText: null,
      }
    }),
    nonDerivative: trades.toSorted((a, b) => a.place - b.place).map(tradeRow),
    derivative: null,
    footnotes: null,
    remarks: null,
    signatures: null,
  }
}

/** Returns the rows, each transaction with its place among the transactions of the table, holdings without one. */
function placed<Row extends { kind: 'transaction' | 'holding' }>(rows: Row[]): [Row, number | null][] {
  let place = 0
  return rows.map((row) => [row, row.kind === 'transaction' ? (place += 1) : null])
}

interface DecidedRow {
  place: number | null
  id: string | null
  trade: DecidedTrade | undefined
}

function tableOneRow(row: Cells<NonDerivativeRow>, { place, id, trade }: DecidedRow): Schemas['FilingRow'] {
  return { kind: row.kind, place, id, ...commonCells(row), decision: trade ? decisionOf(trade) : null }
}

function commonCells(row: Cells<NonDerivativeRow>) {
  return {
    securityTitle: row.securityTitle,
    tradeDate: row.date,
    deemedExecutionDate: row.deemedExecutionDate,
    transactionFormType: row.formType,
    transactionCode: row.code,
    equitySwap: row.equitySwap,
    timeliness: row.timeliness,
    shares: amount(row.shares),
    pricePerShare: amount(row.price),
    acquiredDisposed: row.acquiredDisposed,
    sharesOwnedAfter: amount(row.sharesAfter),
    valueOwnedAfter: amount(row.valueAfter),
    ownership: ownershipWord(row.directIndirect),
    natureOfOwnership: row.nature,
    footnotes: row.cells,
  }
}

function derivativeRow(row: Cells<DerivativeRow>, place: number | null): Schemas['DerivativeRow'] {
  return {
    kind: row.kind,
    place,
    ...commonCells(row),
    conversionPrice: amount(row.conversionPrice),
    exerciseDate: row.exerciseDate,
    expirationDate: row.expirationDate,
    underlyingTitle: row.underlyingTitle,
    underlyingShares: amount(row.underlyingShares),
    underlyingValue: amount(row.underlyingValue),
    totalValue: amount(row.totalValue),
  }
}

function tradeRow(trade: Trade): Schemas['FilingRow'] {
  return {
    kind: 'transaction',
    place: null,
    id: trade.id,
    securityTitle: trade.securityTitle,
    tradeDate: trade.date || null,
    deemedExecutionDate: null,
    transactionFormType: null,
    transactionCode: trade.code || null,
    equitySwap: null,
    timeliness: null,
    shares: amount(trade.shares),
    pricePerShare: amount(trade.priceFiled),
    acquiredDisposed: (trade.acquiredDisposed || null) as 'A' | 'D' | null,
    sharesOwnedAfter: amount(trade.sharesAfter),
    valueOwnedAfter: null,
    ownership: ownershipWord(trade.directIndirect),
    natureOfOwnership: null,
    footnotes: null,
    decision: decisionOf(trade),
  }
}

function decisionOf(trade: DecidedTrade): Decision {
  const isWithdrawn = isOfFiling(trade, trade.supersededBy)
  const isSuperseded = trade.supersededBy !== '' && !isWithdrawn
  return {
    status: isWithdrawn ? 'withdrawn' : isSuperseded ? 'superseded' : trade.listed ? 'listed' : 'duplicate',
    supersededBy: isSuperseded ? trade.supersededBy : null,
    supersededAt: isSuperseded ? timestampOf(trade.supersededAt) : null,
    duplicateOf: trade.duplicateOf || null,
    transactionType: trade.type,
    totalValue: Number(trade.totalValue),
    priceStatus: trade.priceStatus,
    significance: trade.significance,
    signals: trade.signals,
  }
}

/** Returns the answer with the notices of proposed sales that its transactions count for. */
export function withNotices(answer: FilingDetail, notices: FilingDecisions['notices']): FilingDetail {
  if (notices.size === 0) return answer
  return {
    ...answer,
    nonDerivative: answer.nonDerivative.map((row) => {
      const found = row.id === null ? undefined : notices.get(row.id)
      return found && row.decision ? { ...row, decision: { ...row.decision, notices: found } } : row
    }),
  }
}

/** Returns the symbol that the feed shows the transactions under, or would. */
const tickerOf = (trades: DecidedTrade[], typed: Ticker[], present: Ticker[]): string =>
  trades[0]?.ticker ?? displayTicker(typed, present, typed)

function chainOf(trades: DecidedTrade[], amends: AccessionNumber[]) {
  const amended = trades.filter((trade) => trade.supersededBy !== '' && !isOfFiling(trade, trade.supersededBy))
  const amendedBy = new Set(amended.map(({ supersededBy }) => supersededBy))
  return { amends: amends.toSorted(), amendedBy: [...amendedBy].sort() }
}

const isOfFiling = ({ id }: DecidedTrade, accession: AccessionNumber): boolean =>
  parseTransactionId(id).accession === accession

const amount = (text: DecimalText | null): number | null => (text === null ? null : Number(text))

/** Returns the word for the letter. */
export const ownershipWord = (letter: string | null): 'direct' | 'indirect' | null =>
  letter === 'D' ? 'direct' : letter === 'I' ? 'indirect' : null

/** Returns the filing's index page at the SEC; null for a document without an accession number. */
export function urlOf(accession: AccessionNumber, issuerCik: Cik): string | null {
  if (accession.startsWith('local-')) return null
  const folder = `${Number(issuerCik)}/${accession.replaceAll('-', '')}`
  return `https://www.sec.gov/Archives/edgar/data/${folder}/${accession}-index.htm`
}
