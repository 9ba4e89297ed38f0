// Rule 10b5-1 plans: whether a transaction was made under one. The form's checkbox says so since April 2023, for the
// filing as a whole; footnotes and remarks, which are free text, say it of a row or of all.
import { oncePerObject } from '../../shared/once-per-object.ts'
import type { Filing, Footnote, NonDerivativeRow } from '../filing.ts'
import { saidBy, type Says } from './interpret-clause.ts'
import { clausesOf } from './normalize-footnote.ts'
import { REACHED_CODES, scopeOf, type PlanScope, type TextPlace } from './plan-scope.ts'

export interface Plan {
  plan: 'yes' | 'no' | 'unknown'
  source: 'box' | 'footnote' | 'none'
}

/** What a text says, and of which transactions. */
export interface PlanStatement {
  says: Says
  scope: PlanScope
}

/**
 * Decides by the first of these that says anything, and not both:
 *
 * 1. what the row's own footnotes say of their row
 * 2. what the row's own footnotes, any other footnote or the remarks say of all transactions, sales or purchases of the
 *    form
 * 3. the checkbox
 *
 * Footnotes and remarks have the source `footnote`.
 */
export function planOf(
  row: Pick<NonDerivativeRow, 'footnotes' | 'code'>,
  filing: Pick<Filing, 'aff10b5One' | 'footnotes' | 'remarks'>,
): Plan {
  const ids = new Set(row.footnotes.all)
  const footnotes = filing.footnotes.flatMap((footnote) =>
    statementsOf(footnote).map((statement) => ({ ...statement, own: ids.has(footnote.id) })),
  )
  const remarks = planStatements(filing.remarks ?? '', 'remarks').map((statement) => ({ ...statement, own: false }))
  const ofRow = footnotes.filter(({ scope, own }) => scope === 'row' && own)
  const ofForm = [...footnotes, ...remarks].filter(({ scope, own }) => scope !== 'row' && (own || reaches(scope, row)))
  const said = agreed(ofRow) ?? agreed(ofForm)
  if (said) return { plan: said, source: 'footnote' }
  if (filing.aff10b5One === null) return { plan: 'unknown', source: 'none' }
  return { plan: filing.aff10b5One ? 'yes' : 'no', source: 'box' }
}

const reaches = (scope: Exclude<PlanScope, 'row'>, { code }: Pick<NonDerivativeRow, 'code'>): boolean =>
  REACHED_CODES[scope] === null || REACHED_CODES[scope] === code

/**
 * The source of a regular expression that matches every text of which `planStatements` says anything, and few others.
 */
export const MENTIONS_PLAN = String.raw`10\W{0,4}5?\W{0,4}[bB]`
const MENTION = new RegExp(MENTIONS_PLAN)

/**
 * Returns what one text says, at most one statement for each scope: none for `part was sold under the plan, part not`,
 * which can't be told apart by row. Remarks have no row, so those of scope `row` are left out.
 */
export function planStatements(text: string, place: TextPlace): PlanStatement[] {
  if (!MENTION.test(text)) return []
  const statements = clausesOf(text).flatMap((clause) => {
    const said = saidBy(clause)
    const scope = said.length === 0 ? 'row' : scopeOf(clause, place)
    return said.map((says): PlanStatement => ({ says, scope }))
  })
  return [...Map.groupBy(statements, ({ scope }) => scope)].flatMap(([scope, all]) => {
    const says = place === 'remarks' && scope === 'row' ? null : agreed(all)
    return says ? [{ says, scope }] : []
  })
}

/** Returns what a footnote says of a row that it is attached to; null if it says nothing, or both. */
export const footnotePlan = (text: string): Says | null => agreed(planStatements(text, 'footnote'))

/** Reads a footnote once, however many rows refer to it. */
const statementsOf = oncePerObject((footnote: Footnote) => planStatements(footnote.text, 'footnote'))

/** Returns null where they disagree. */
function agreed(statements: Pick<PlanStatement, 'says'>[]): Says | null {
  const [yes, no] = [statements.some(({ says }) => says === 'yes'), statements.some(({ says }) => says === 'no')]
  return yes === no ? null : yes ? 'yes' : 'no'
}
