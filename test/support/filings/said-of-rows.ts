// What natures, footnotes and remarks of invented filings say of rows, which decides about amendments, shared events,
// units of prices and plans.
import type { FilingSpec, RowSpec } from './filing-builder.ts'

/** Of every filing; rows refer to them. */
const FOOTNOTES = [
  { id: 'F1', text: 'The price is in Japanese yen.' },
  { id: 'F2', text: 'Sold pursuant to a Rule 10b5-1 trading plan adopted on January 2, 2024.' },
  { id: 'F3', text: 'Held by Acorn Opportunities LP, of which Mr. Owner is the manager.' },
  { id: 'F4', text: 'Not made pursuant to a Rule 10b5-1 trading plan.' },
]
const NATURES = ['By IRA', 'By Spouse', 'By Acorn Opportunities LP', 'See footnote', 'By Trust', 'By LLC']
const REMARKS = [
  'This amendment removes a transaction that was reported in error.',
  'This amendment withdraws the original Form 4.',
  'The transactions reported in this form were effected pursuant to a Rule 10b5-1 trading plan.',
]

/** Returns what is said of a row. */
export function saidOfRow(directIndirect: 'D' | 'I', chance: () => number): Partial<RowSpec> {
  const of = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!
  const nature = directIndirect === 'I' ? of(NATURES) : null
  const footnotes = {
    ...(chance() < 0.1 && { price: ['F1'] }),
    ...(chance() < 0.1 && { coding: [of(['F2', 'F4'])] }),
    ...(nature === 'See footnote' && { nature: ['F3'] }),
  }
  return { nature, footnotes }
}

/** Returns the footnotes of a filing, and for some its remarks and box. */
export function saidOfFiling(chance: () => number): Pick<FilingSpec, 'footnotes' | 'remarks' | 'aff10b5One'> {
  const remarks = chance() < 0.1 ? REMARKS[Math.floor(chance() * REMARKS.length)]! : null
  return { footnotes: FOOTNOTES, remarks, aff10b5One: chance() < 0.2 ? chance() < 0.5 : null }
}
