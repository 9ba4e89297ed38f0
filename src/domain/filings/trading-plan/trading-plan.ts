// Rule 10b5-1 plans: whether a transaction was made under one. The form's checkbox says so since April 2023; before, a
// footnote at best, which is free text.
import type { Filing, Footnote, NonDerivativeRow } from '../filing.ts'
import { saidBy, type Says } from './interpret-clause.ts'
import { clausesOf } from './normalize-footnote.ts'

export interface Plan {
  plan: 'yes' | 'no' | 'unknown'
  source: 'box' | 'footnote' | 'none'
}

/** Decides by the checkbox, which belongs to the filing and not to the row; without one, by the row's own footnotes. */
export function planOf(
  row: Pick<NonDerivativeRow, 'footnotes'>,
  filing: Pick<Filing, 'aff10b5One' | 'footnotes'>,
): Plan {
  if (filing.aff10b5One !== null) return { plan: filing.aff10b5One ? 'yes' : 'no', source: 'box' }
  const ids = new Set(row.footnotes.all)
  const said = agreed(filing.footnotes.filter(({ id }) => ids.has(id)).map(planOfFootnote))
  return said ? { plan: said, source: 'footnote' } : { plan: 'unknown', source: 'none' }
}

/**
 * The source of a regular expression that matches every text of which `footnotePlan` says anything, and few others, and
 * means the same in JavaScript and RE2.
 */
export const MENTIONS_PLAN = String.raw`10\W{0,4}5?\W{0,4}[bB]`
const MENTION = new RegExp(MENTIONS_PLAN)

/**
 * Returns what one text says of its transaction; null if it says nothing, or both. Takes some 15 microseconds for a
 * text of usual length.
 */
export function footnotePlan(text: string): Says | null {
  return MENTION.test(text) ? agreed(clausesOf(text).flatMap(saidBy)) : null
}

const read = new WeakMap<Footnote, { said: Says | null }>()

/** Reads a footnote once, however many rows refer to it. */
function planOfFootnote(footnote: Footnote): Says | null {
  const known = read.get(footnote) ?? { said: footnotePlan(footnote.text) }
  read.set(footnote, known)
  return known.said
}

/**
 * Returns null for `part was sold under the plan, part not`, which can't be told apart by row, and for footnotes that
 * disagree.
 */
function agreed(said: (Says | null)[]): Says | null {
  const [yes, no] = [said.includes('yes'), said.includes('no')]
  return yes === no ? null : yes ? 'yes' : 'no'
}
