// Decides whether a notice says that its sales are made under a Rule 10b5-1 plan. The form asks for the day on which a
// plan was adopted, not whether there is one, so an empty field does not deny a plan.
import { sentencesOf } from '../filings/trading-plan/normalize-footnote.ts'
import { footnotePlan } from '../filings/trading-plan/trading-plan.ts'
import type { Notice } from './notice.ts'

export interface NoticePlan {
  plan: 'yes' | 'not_stated'
  /** The basis of the decision: the dates of adoption or the remarks. */
  source: 'field' | 'remarks' | 'none'
}

/** Matches Rule 10b5-1, which is about plans, but not Rule 10b-5, which is about fraud. */
const RULE = /10 ?\(?b ?\)? ?-? ?5 ?[-. ]? ?1/i
const NEGATION =
  /\b(?:no|not|nor|none|never|neither|non|without|outside|cannot|terminat\w*|cancel\w*|expired|rescind\w*)\b|n['’]t\b|\bother than\b/i

/** Decides by the dates of adoption, else by a sentence about a plan in the remarks without a negation. */
export function noticePlan({ planAdoptionDates, remarks }: Pick<Notice, 'planAdoptionDates' | 'remarks'>): NoticePlan {
  if (planAdoptionDates.length > 0) return { plan: 'yes', source: 'field' }
  return remarks !== null && isPlanned(remarks)
    ? { plan: 'yes', source: 'remarks' }
    : { plan: 'not_stated', source: 'none' }
}

function isPlanned(remarks: string): boolean {
  const said = footnotePlan(remarks)
  if (said !== null) return said === 'yes'
  const sentences = sentencesOf(remarks).filter((sentence) => RULE.test(sentence))
  return sentences.length > 0 && !sentences.some((sentence) => NEGATION.test(sentence))
}
