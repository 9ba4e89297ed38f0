// Positions of each available real document, compared with a plain reading of its table. Skipped without the documents.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import { filingTime } from '../../../../src/domain/filings/acceptance-time.ts'
import type { Filing } from '../../../../src/domain/filings/filing.ts'
import { evidenceOf } from '../../../../src/domain/positions/evidence.ts'
import { positionsOf } from '../../../../src/domain/positions/positions.ts'
import { comparableDecimal } from '../../../../src/domain/shared/decimal.ts'
import { readDocument } from '../../../../src/infrastructure/edgar/documents/read-document.ts'
import { unitsText } from '../../../support/filings/evidence.ts'

const folder = fileURLToPath(new URL('../../../../../shared/filings/documents/', import.meta.url))
const RECEIVED = Date.UTC(2026, 0, 1) / 1000

/** Table I, with the balance of its last row, if all of its rows are transactions of one line. */
function plainBalance({ nonDerivative }: Filing): string | null {
  const lines = new Set(nonDerivative.map((row) => [row.securityTitle, row.directIndirect, row.nature].join('|')))
  const days = nonDerivative.map(({ date }) => date ?? '')
  const isPlain = lines.size === 1 && nonDerivative.every(({ kind }) => kind === 'transaction')
  const inOrder = days.every((day, index) => index === 0 || day >= days[index - 1]!)
  return isPlain && inOrder && nonDerivative.at(-1)!.sharesAfter !== null
    ? comparableDecimal(nonDerivative.at(-1)!.sharesAfter)
    : null
}

const describeIfPresent = existsSync(folder) ? describe : describe.skip

describeIfPresent('positions of real filings', () => {
  it('are the last balance of a table of one line, and never more lines than rows', () => {
    let plain = 0
    for (const name of readdirSync(folder)) {
      const reading = readDocument(readFileSync(folder + name), name)
      if (reading.kind !== 'filing') continue
      const { filing } = reading
      const evidence = evidenceOf(filing, filingTime(filing, RECEIVED))
      const { positions } = positionsOf([evidence], RECEIVED)
      assert.isAtMost(positions.length, evidence.rows.length, name)
      const expected = plainBalance(filing)
      if (expected === null) continue
      plain += 1
      const found = positions.filter(({ table }) => table === 1).map(({ units }) => unitsText(units))
      assert.deepEqual(found, [expected], name)
    }
    assert.isAbove(plain, 30)
  })
})
