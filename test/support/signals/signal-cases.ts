// Short words for open-market trades of one invented issuer, for tests of their signals. What is detected of each case
// is held against the oracle.
import { assert } from 'chai'
import { dayNumber } from '../../../src/domain/shared/calendar.ts'
import type { Cik } from '../../../src/domain/shared/identifiers.ts'
import { DEFAULT_RULES, type SignalRules } from '../../../src/domain/signals/rule-thresholds.ts'
import type { JointFiling, Signal, SignalTrade, SignalType } from '../../../src/domain/signals/signal.ts'
import { detectSignals } from './detect-signals.ts'
import { oracleSignals } from './oracle/oracle.ts'

const ISSUER = '0000990100'
export const cik = (who: number): Cik => String(who).padStart(10, '0')
/** Noon on the day, in seconds. */
export const at = (day: string): number => dayNumber(day) * 86_400 + 43_200

let filings = 0
/** Each call a filing of its own, later in order than those before it at the same time. */
export const accession = (): string => `0000990200-24-${String((filings += 1)).padStart(6, '0')}`

/** `who` by number, several for a joint trade. Filed at noon of the trade day unless `parts` say otherwise. */
export function bought(
  who: number | number[],
  day: string,
  dollars: number,
  parts: Partial<SignalTrade> = {},
): SignalTrade {
  const owners = [who].flat()
  const filedDay = parts.filedDay ?? day
  const filing = parts.accession ?? accession()
  const place = parts.place ?? 1
  return {
    id: `${filing}-nd-${place}`,
    accession: filing,
    place,
    filedAt: at(filedDay),
    filedDay,
    isDayKnown: true,
    day,
    direction: 'buy',
    directionByCode: 'buy',
    valueCents: Math.round(dollars * 100),
    price: 10,
    priceStatus: 'as_filed',
    suspectUntil: 0,
    sharesStatus: 'as_filed',
    plan: 'no',
    ownerCiks: owners.map(cik),
    insiderName: `Name ${owners[0]}`,
    insiderRole: 'director',
    standing: 'officer_or_director',
    officer: false,
    tenPercentOnly: false,
    ceo: false,
    isCeoOrCfo: false,
    byIssuer: false,
    duplicateOf: '',
    supersededBy: '',
    supersededAt: 0,
    ...parts,
  }
}

export function sold(
  who: number | number[],
  day: string,
  dollars: number,
  parts: Partial<SignalTrade> = {},
): SignalTrade {
  return bought(who, day, dollars, { direction: 'sell', directionByCode: 'sell', ...parts })
}

/** The trade as an amendment of that day takes it away. */
export function takenAway(trade: SignalTrade, by: string, day: string): SignalTrade {
  return { ...trade, supersededBy: by, supersededAt: at(day) }
}

export function jointly(who: number[], day: string, parts: Partial<JointFiling> = {}): JointFiling {
  return {
    accession: accession(),
    filedAt: at(day),
    filedDay: day,
    ownerCiks: who.map(cik),
    isDayKnown: true,
    ...parts,
  }
}

export function detected(
  trades: SignalTrade[],
  joint: JointFiling[] = [],
  rules: SignalRules = DEFAULT_RULES,
): Signal[] {
  const signals = detectSignals(ISSUER, trades, joint, rules)
  assert.deepEqual(signals, oracleSignals(ISSUER, trades, joint, rules), 'as the oracle')
  return signals
}

export function ofType(type: SignalType, trades: SignalTrade[], joint: JointFiling[] = []): Signal[] {
  return detected(trades, joint).filter((signal) => signal.type === type)
}

/** Why a trade is left out; undefined where it is not. */
export function reasonFor(signal: Signal | undefined, trade: SignalTrade): string | undefined {
  return signal?.leftOut.find(({ id }) => id === trade.id)?.reason
}
