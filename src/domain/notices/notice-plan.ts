// Whether a notice says that its sales are made under a Rule 10b5-1 plan. The form asks for the day on which a plan was
// adopted and not whether there is one, so that silence is no denial.
import { sentencesOf } from '../filings/trading-plan/normalize-footnote.ts'
import { footnotePlan } from '../filings/trading-plan/trading-plan.ts'
import type { Notice } from './notice.ts'

export interface NoticePlan {
  plan: 'yes' | 'not_stated'
  /** What that is based on: the dates of adoption or the remarks. */
  source: 'field' | 'remarks' | 'none'
}

/** The rule about plans, not the one about fraud, which is 10b-5. */
const RULE = /10 ?\(?b ?\)? ?-? ?5 ?[-. ]? ?1/i
const NEGATION =
  /\b(?:no|not|nor|none|never|neither|non|without|outside|cannot|terminat\w*|cancel\w*|expired|rescind\w*)\b|n['’]t\b|\bother than\b/i

/** Decides by the dates of adoption, else by the remarks, where nothing in the sentence may deny it. */
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
