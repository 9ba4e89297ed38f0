// Form 4s without end that nobody filed: what a number stands for is decided by it and the seed alone. Shares of codes
// follow a sample of 100 real Form 4s (rows of Table I: S 34, A 32, F 27, P 22, M 20, G 4), 4/A a quarter's 1.6%.
import { addDays, isBusinessDay } from '../../../../src/domain/shared/calendar.ts'
import { submissionText, type FilingSpec } from '../../filings/filing-builder.ts'
import { INVENTED_COMPANIES, type InventedCompany } from './world.ts'
import { rowsOf, type Shape } from './rows.ts'
import { newYork } from '../simulator/new-york.ts'
import { hashOf, seeded } from './seeded.ts'

export interface Invention {
  /** Decides everything but times. Default 1. */
  seed?: number
  /** When filing `number` was accepted, in milliseconds since 1970; asked for earlier numbers too, which 4/As amend. */
  acceptedAt: (number: number) => number
}

export interface InventedFiling {
  accession: string
  text: string
  /** What the text was made of. */
  spec: FilingSpec
  /** For a 4/A, the number of the filing it amends. */
  amends: number | null
}

/** Weights add up to 100. */
const SHAPES: [shape: Shape, weight: number][] = [
  ['sale', 15],
  ['award', 30],
  ['purchase', 10],
  ['vesting', 14],
  ['withholding', 10],
  ['exercise-and-sale', 5],
  ['gift', 4],
  ['option-grant', 8],
  ['fund', 4],
]
const AMENDMENTS = 0.025
const FURTHEST_BACK = 60

/** `number` from 1. */
export function inventedFiling(number: number, invention: Invention): InventedFiling {
  const original = amendedBy(number, invention)
  const spec = original === null ? ordinary(number, invention) : amendment(number, original, invention)
  return { accession: spec.accession!, text: submissionText(spec), spec, amends: original }
}

/** FILED AS OF DATE (`YYYY-MM-DD`): the day of acceptance, or the next business day from 22:00 on and on weekends. */
export function filingDay(acceptedAt: number): string {
  const { date, time } = newYork(acceptedAt)
  let day = time < '22' ? date : addDays(date, 1)
  while (!isBusinessDay(day)) day = addDays(day, 1)
  return day
}

/** `agent` tells submitters apart; six digits count within one. */
export function inventedAccession(number: number, agent: string, seed: number, filed: string): string {
  const prefix = 9_900_000 + (hashOf(agent, seed, Math.floor(number / 1_000_000)) % 100_000)
  return `${String(prefix).padStart(10, '0')}-${filed.slice(2, 4)}-${String(number % 1_000_000).padStart(6, '0')}`
}

/** The filing that this one amends: an ordinary one, at most 60 numbers before. */
function amendedBy(number: number, { seed = 1 }: Invention): number | null {
  const chance = seeded(hashOf(seed, 'amends', number))
  if (chance() >= AMENDMENTS) return null
  const original = number - 1 - Math.floor(chance() * FURTHEST_BACK)
  return original >= 1 && seeded(hashOf(seed, 'amends', original))() >= AMENDMENTS ? original : null
}

function ordinary(number: number, { seed = 1, acceptedAt }: Invention): FilingSpec {
  const chance = seeded(hashOf(seed, number))
  const shape = shapeOf(chance())
  const company = companyFor(shape, chance())
  const filed = filingDay(acceptedAt(number))
  // Not after the day on which it is filed, which on weekends is before FILED AS OF DATE.
  const traded = tradeDate(newYork(acceptedAt(number)).date, chance)
  const price = company.price * drift(company, traded)
  const { rows, derivativeRows, footnotes, plan } = rowsOf(shape, price, traded, chance)
  const owners = ownersOf(shape, company, chance)
  return {
    ...envelope(number, seed, filed, acceptedAt(number)),
    formType: '4',
    aff10b5One: plan,
    issuer: { cik: company.cik, name: company.name, tickerRaw: typed(company.ticker, chance()) },
    sic: company.sic,
    office: company.office,
    owners,
    rows,
    derivativeRows,
    footnotes,
    periodOfReport: traded,
    signatures: owners.map((owner) => ({ name: `/s/ ${owner.name}`, date: filed })),
    dress: { exhibits: chance() < 0.2 ? 1 : 0 },
  }
}

/** All of the original's rows again, or (one in three) the corrected one only, and a remark. */
function amendment(number: number, original: number, invention: Invention): FilingSpec {
  const { seed = 1, acceptedAt } = invention
  const chance = seeded(hashOf(seed, number))
  const before = ordinary(original, invention)
  const filed = filingDay(acceptedAt(number))
  const corrected = (before.rows ?? []).map((row, index) =>
    index === 0 ? { ...row, shares: String(Math.round(Number(row.shares) * 1.1) + 1) } : row,
  )
  return {
    ...before,
    ...envelope(number, seed, filed, acceptedAt(number)),
    formType: '4/A',
    dateOfOriginalSubmission: filingDay(acceptedAt(original)),
    rows: chance() < 0.33 ? corrected.slice(0, 1) : corrected,
    remarks: 'This amendment corrects the number of shares.',
    signatures: before.signatures!.map((each) => ({ ...each, date: filed })),
  }
}

function envelope(number: number, seed: number, filed: string, acceptedAt: number): FilingSpec {
  return {
    accession: inventedAccession(number, 'form 4', seed, filed),
    acceptedAt: newYork(acceptedAt).stamp,
    filedAsOf: filed.replaceAll('-', ''),
    schemaVersion: filed < '2026-04-01' ? 'X0508' : 'X0609',
  }
}

function shapeOf(chance: number): Shape {
  let left = chance * 100
  return SHAPES.find(([, weight]) => (left -= weight) < 0)?.[0] ?? 'sale'
}

function companyFor(shape: Shape, chance: number): InventedCompany {
  const able = shape === 'fund' ? INVENTED_COMPANIES.filter(({ fund }) => fund !== null) : INVENTED_COMPANIES
  return able[Math.floor(chance * able.length)]!
}

/** One insider; for a fund its partner and sometimes a director who answers for both. */
function ownersOf(
  shape: Shape,
  { insiders, fund }: InventedCompany,
  chance: () => number,
): NonNullable<FilingSpec['owners']> {
  if (shape === 'fund' && fund) {
    const entities = [fund, fund.partner].map(({ cik, name }) => ({ cik, name, isTenPercentOwner: true }))
    const last = insiders.at(-1)!
    return chance() < 0.4 ? [...entities, { cik: last.cik, name: last.name, isDirector: true }] : entities
  }
  // Only officers are paid in options and restricted stock here; directors buy as often as officers.
  const able = shape === 'purchase' || shape === 'gift' ? insiders : insiders.filter(({ officerTitle }) => officerTitle)
  const { cik, name, isDirector, officerTitle } = able[Math.floor(chance() * able.length)]!
  return [{ cik, name, isDirector, isOfficer: officerTitle !== null, officerTitle }]
}

/** Two business days are allowed; 7 in 100 are later. */
function tradeDate(filed: string, chance: () => number): string {
  let left = chance() < 0.07 ? 3 + Math.floor(chance() * 20) : Math.floor(chance() * 2.6)
  let day = filed
  while (left > 0 || !isBusinessDay(day)) {
    if (isBusinessDay(day)) left -= 1
    day = addDays(day, -1)
  }
  return day
}

/** Slow waves around the company's price, a fifth up and down. */
function drift({ cik }: InventedCompany, date: string): number {
  return 1 + 0.2 * Math.sin(Date.parse(date) / 86_400_000 / 40 + Number(cik))
}

/** Symbols as filers type them: 1 in 80 has none, some in lower case or with their exchange. */
function typed(ticker: string, chance: number): string {
  if (chance < 0.0125) return 'NONE'
  return chance < 0.02 ? ticker.toLowerCase() : chance < 0.03 ? `(${ticker})` : ticker
}
