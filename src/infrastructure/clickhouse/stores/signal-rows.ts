// Makes the rows of signals: in `signals`, in the list of present signals, and in that of their earlier states.
import type { ListedState, ShownSignal, StatesKey } from '../../../application/ports/analytics.ts'
import type { components } from '../../../contract.ts'
import { describeSignal } from '../../../domain/signals/descriptions/signal-description.ts'
import type { Signal } from '../../../domain/signals/signal.ts'
import { cikNumber } from '../../../domain/shared/identifiers.ts'
import { timestampOf } from '../../../domain/shared/new-york-time.ts'
import type { InsertRow } from '../connection/client.ts'
import { newestFirstKey } from '../sort-key.ts'

type ContractSignal = components['schemas']['Signal']

// With the issuer, which determines the shard of the row on a cluster.
const keyOf = ({ issuerCik, detectedAt, id }: Signal): InsertRow => ({
  path: 'issuer',
  subject: cikNumber(issuerCik),
  detected_at: detectedAt,
  id,
  issuer_cik: cikNumber(issuerCik),
})

/** Returns the row of a signal in `signals`. */
export function signalRow(shown: ShownSignal, version: number): InsertRow {
  const { signal, ticker, companyName, rules } = shown
  return {
    ...keyOf(signal),
    type: signal.type,
    severity: signal.severity,
    direction: signal.direction,
    ticker,
    company_name: companyName,
    description: describeSignal(signal, shown),
    insider_count: signal.insiderCount,
    total_value: (signal.totalCents / 100).toFixed(2),
    changed_at: signal.changedAt,
    ended_at: signal.endedAt ?? 0,
    whole: JSON.stringify(shown),
    rules,
    version,
    deleted: 0,
  }
}

/** Returns the row that removes a signal from `signals`. */
export const goneSignalRow = (signal: Signal, version: number): InsertRow => ({ ...keyOf(signal), version, deleted: 1 })

/** Returns the row of a signal in `signal_list`; for a signal that has ended, the row that removes it. */
export function signalListRow(shown: ShownSignal, version: number): InsertRow {
  const { signal } = shown
  if (signal.endedAt !== null) return goneSignalListRow(signal, version)
  return {
    ...signalKey(signal, version),
    signal: JSON.stringify(presentSignal(shown)),
    type: signal.type,
    severity: signal.severity,
    total_value: (signal.totalCents / 100).toFixed(2),
    insider_ciks: shown.insiders.present.map(cikNumber),
    deleted: 0,
  }
}

/** Returns the contract's Signal at present; of a signal that has ended, its last state. */
export const presentSignal = ({ signal, ticker, companyName }: ShownSignal): ContractSignal =>
  signalOf(signal, {
    ...signal,
    ticker,
    companyName,
    description: describeSignal(signal, { ticker, companyName }),
  })

function signalOf(
  { id, type, detectedAt }: Signal,
  { severity, ticker, companyName, description, insiderCount, totalCents }: NonNullable<ListedState['shown']>,
): ContractSignal {
  return {
    id,
    type,
    severity,
    ticker,
    companyName,
    description,
    insiderCount,
    totalValue: Number((totalCents / 100).toFixed(2)),
    detectedAt: timestampOf(detectedAt),
  }
}

/** Returns the row of a signal in `signal_states`. */
export function signalStatesRow({ signal, knownAt, states, insiders }: ShownSignal, version: number): InsertRow {
  if (knownAt === null) return goneSignalListRow(signal, version)
  const signalThen = { ...signal, detectedAt: knownAt }
  return {
    ...signalKey(signalThen, version),
    type: signal.type,
    states: states.map(({ since, shown }) => ({
      since,
      severity: shown?.severity ?? 'low',
      signal: shown ? JSON.stringify(signalOf(signalThen, shown)) : '',
      ticker: shown?.ticker ?? '',
      company_name: shown?.companyName ?? '',
      description: shown?.description ?? '',
      insider_count: shown?.insiderCount ?? 0,
      total_value: ((shown?.totalCents ?? 0) / 100).toFixed(2),
    })),
    insiders: insiders.steps.map(({ since, ciks }) => ({ since, ciks: ciks.map(cikNumber) })),
    deleted: 0,
  }
}

/** Returns the row that removes a signal from `signal_list` or `signal_states`. */
export const goneSignalListRow = (signal: StatesKey, version: number): InsertRow => ({
  ...signalKey(signal, version),
  deleted: 1,
})

const signalKey = ({ detectedAt, id, issuerCik }: StatesKey, version: number): InsertRow => ({
  key: newestFirstKey(detectedAt, id),
  issuer_cik: cikNumber(issuerCik),
  version,
})
