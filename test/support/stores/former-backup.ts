// The backup of the last version before 1.0.0, of invented filings, with what that version answered from them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const FORMER_BACKUP = join(import.meta.dirname, '../../fixtures/former-backup')
export const formerAnswers = JSON.parse(readFileSync(join(FORMER_BACKUP, 'answers.json'), 'utf8'))

/** Fields that transactions, profiles and filings have gained since. */
const GAINED = new Set([
  ...['businessDaysToFile', 'late', 'isWeightedAverage', 'lowPrice', 'highPrice', 'coOwners'],
  ...['firstBuyInYears', 'previousBuyDate', 'lateFilings', 'holdingChangeKind', 'repaired'],
])

/** Returns a value as the former version sent it: without the fields gained since. */
export function asFormerly(value: unknown): any {
  return JSON.parse(JSON.stringify(value), (name, each) => (GAINED.has(name) ? undefined : each))
}

/** What a delivery has gained since. */
export const GAINED_BY_DELIVERIES = { alertId: null, format: 'standard' as const }
