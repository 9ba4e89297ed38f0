// Words of amendments: a Form 4/A says only in free text that it takes something back. Its remarks and footnotes are
// read sentence by sentence. Most speak of a price, a number, a date or a code that was wrong; those change the rows
// they are about and take none back.
import type { Filing } from '../../filings/filing.ts'

/**
 * `removed`: a transaction of the original is taken back. `repeated`: the original has one twice. `withdrawn`: the
 * original as a whole is void.
 */
export type AmendmentWord = 'removed' | 'repeated' | 'withdrawn'

/** Longer than remarks and footnotes can be. */
const LONGEST_TEXT = 4_000

/** Finds texts that can hold such words, without regard to case; all others hold none. */
export const AMENDMENT_WORDS_PATTERN =
  'delet|remov|eliminat|stric?k|error|errone|inadvert|mistak|improper|accident|wrongly|incorrectly|' +
  "n[o']t have|not.{1,3}occur|didn.t|did not|never|no such|cancel|rescind|void|nullif|withdr|retract|revok|disregard|" +
  'duplic|twice|doubl|more than once|two times|second time'
const CAN_MATTER = new RegExp(AMENDMENT_WORDS_PATTERN, 'i')

/** Returns what the remarks and footnotes of a 4/A say, each word once; nothing for other forms. */
export function amendmentWords(filing: Pick<Filing, 'formType' | 'remarks' | 'footnotes'>): AmendmentWord[] {
  if (filing.formType !== '4/A') return []
  return wordsOfTexts([filing.remarks, ...filing.footnotes.map(({ text }) => text)])
}

/** Returns what the remarks and footnotes of a 4/A say, each word once, in a fixed order. */
export function wordsOfTexts(texts: readonly (string | null)[]): AmendmentWord[] {
  const said = new Set(texts.flatMap((text) => (text !== null && CAN_MATTER.test(text) ? wordsIn(text) : [])))
  return (['removed', 'repeated', 'withdrawn'] as const).filter((word) => said.has(word))
}

function wordsIn(text: string): AmendmentWord[] {
  const plain = text
    .slice(0, LONGEST_TEXT)
    .toLowerCase()
    .replace(/[’‘`]/g, "'")
    .replace(/["“”()]/g, ' ')
    .replace(/\s+/g, ' ')
  return plain.split(/[.;!?:] |[.;!?] ?$/).flatMap((sentence) => {
    if (!CAN_MATTER.test(sentence)) return []
    if (isRepeated(sentence)) return ['repeated' as const]
    const withdrawn = WITHDRAWALS.some((withdrawal) => withdrawal.test(sentence))
    const removed = REMOVALS.some((removal) => removal.test(sentence))
    const inError = ERRORS.some((error) => error.test(sentence)) && !ABOUT_A_FACT.test(sentence)
    return [...(removed || inError ? ['removed' as const] : []), ...(withdrawn ? ['withdrawn' as const] : [])]
  })
}

const REPORTED = '(?:reported|included|listed|shown|disclosed|entered|recorded|counted|filed|submitted|made)'

function isRepeated(sentence: string): boolean {
  return REPETITIONS.some((repetition) => repetition.test(sentence)) && !UNREPEATED.test(sentence)
}
const REPETITIONS = [
  /\bduplicat(?:e|es|ed|ive|ing|ion|ively)\b/,
  new RegExp(`\\b${REPORTED}(?: [\\w,'/-]+){0,6} (?:twice|two times|more than once|a second time)\\b`),
  new RegExp(`\\b(?:twice|two times|more than once)(?: [\\w,'/-]+){0,3} ${REPORTED}\\b`),
  /\bdoubl(?:e|y)[ -](?:report|count|list|includ)/,
]
const UNREPEATED = /\b(?:not|no|without|avoid\w*|never)(?: [\w-]+){0,3} (?:duplicat|doubl|twice)/

const EVENTS =
  '(?:transactions?|rows?|lines?|line items?|entry|entries|sales?|purchases?|grants?|awards?|acquisitions?|' +
  'dispositions?|disposals?|disposing|exercises?|gifts?|trades?|conversions?|vesting|forfeitures?|withholding)'
/** A row's facts, and what else of a form can be wrong. */
const FACTS =
  '(?:prices?|numbers?|amounts?|dates?|codes?|columns?|boxe?s?|footnotes?|references?|title|name|address|totals?|' +
  'balances?|holdings?|percentages?|values?|costs?|signatures?|indicators?|sections?|type|nature|ownership|' +
  'form of ownership|schedule|description|wording|language|words|rates?|proceeds|size|count|' +
  "10b5-1|check ?mark|check|exhibits?|typo\\w*|'s?)"
// The event itself, neither `sale price` nor `price of the sale`.
const EVENT =
  `(?<!\\b${FACTS}(?: [\\w,'/-]+){0,3} (?:of|for|to|in|on|with|about|regarding)(?: [\\w,'/-]+){0,4} )` +
  `(?<!\\b${FACTS} (?:of|for|to|in|on|with|about|regarding) )\\b${EVENTS}\\b(?!(?:'s?)? ?${FACTS}\\b)(?!'s)`
const WORDS = "(?: [\\w,.'/$%#@&-]+)"
const QUALITIES =
  '(?: (?:the|a|an|one|two|three|four|both|all|each|any|every|its|his|her|their|such|this|these|' +
  'those|that|certain|said|' +
  'of|from|in|on|first|second|third|fourth|last|row|rows|table|i|ii|line|lines|erroneous|erroneously|incorrect|' +
  'incorrectly|inadvertent|inadvertently|mistaken|mistakenly|reported|included|listed|disclosed|entered|previously|' +
  'reporting|stock|share|shares|option|options|common|restricted|unit|units|rsu|rsus|psu|psus|open|' +
  'market|open-market|' +
  'private|additional|extra|extraneous|unrelated|non-existent|nonexistent|following|class|b|derivative|' +
  'non-derivative|original|attempted|report|form|4|issuer|company|[a-z]+ \\d{1,2},? \\d{4},?|[\\d.,/$]+))'

const FILING =
  '(?:(?:form|forms) 4s?|(?:original|prior|previous|earlier|initial|first|previously filed|above-referenced) ' +
  '(?:form 4s?|filings?|reports?|statements?|submissions?|form)|filing|submission|report)'
/** Says that something stands in the filing that follows: `the award reported in the original Form 4`. */
const IN_A =
  "\\b(?:in|on|by) (?:(?:the|a|an|its|his|her|their|my|our|this|that|such|said) (?:(?!the )[\\w'-]+ ){0,4}|" +
  '(?:original|prior|previous|earlier|initial|first|previously filed) )?'
/** Says so of the filing as a whole: `the statement on Form 4`, `all transactions reported in the Form 4`. */
const WHOLE = '\\b(?:statements?|(?:information|everything|contents?|all (?:of )?(?:the )?transactions)(?: [a-z]+)?) '
const GONE = '(?:deleted|removed|eliminated|stricken|struck|omitted from this amendment)'
const BE = '(?:is|are|was|were|be|been|being|has been|have been|had been|should be)'
const VOIDED =
  `${BE}(?: (?:hereby|considered|deemed|therefore|being|now|treated as|null and))*` +
  ' (?:withdrawn|void|voided|disregarded|nullified|rescinded|retracted|cancell?ed|revoked)\\b'
/** Not `options to purchase shares`. */
const TRADES = '(?<!\\bto )\\b(?:transactions?|sales?|purchases?|trades?)'
const REMOVALS = [
  // `to remove the sale`, `deleting one of the two sale transactions`, `removal of row 2`
  new RegExp(
    `\\b(?:(?:delet|remov|eliminat)(?:e|es|ed|ing)|strik(?:e|es|ing)|(?:deletion|removal|elimination) of)` +
      `${QUALITIES}{0,12} ${EVENT}`,
  ),
  // `the sale reported in row 2 has been removed`
  new RegExp(`${EVENT}${WORDS}{0,14}? ${BE}(?: (?:hereby|now|therefore|being|thus|also))? ${GONE}\\b`),
  // `the sale did not occur`, but not `did not occur on May 3`
  new RegExp(
    `${EVENT}${WORDS}{0,14}? (?:did not|didn't|never)(?: (?:in fact|actually|ever))?(?: been)? ` +
      '(?:occur|occurred|take place|took place|happen|happened)\\b(?! (?:on|until|at|pursuant|under|within|in the|' +
      'as (?:previously |originally )?(?:reported|described|disclosed)))',
  ),
  new RegExp(
    `${EVENT}${WORDS}{0,14}? (?:was|were) never(?: (?:in fact|actually))? ` +
      '(?:executed|made|completed|consummated|effected|effectuated)\\b(?! (?:on|until|at|pursuant|under|within|in|by))',
  ),
  new RegExp(
    String.raw`\bno such (?:transactions?|sales?|purchases?|trades?|grants?|awards?)(?: [\w-]+){0,4} ` +
      String.raw`(?:occurred|took place|made|executed)\b`,
  ),
  new RegExp(`${TRADES}${WORDS}{0,10}? ${BE}(?: (?:subsequently|later|since))? (?:cancell?ed|rescinded|voided)\\b`),
  // `the sale reported in the Form 4 filed on May 3 is hereby withdrawn`
  new RegExp(`${TRADES}${WORDS}{0,10}? ${IN_A}${FILING}\\b${WORDS}{0,20}? ${VOIDED}`),
]

const WRONGLY = '(?:inadvertently|erroneously|mistakenly|improperly|accidentally|incorrectly|wrongly)'
const IN_ERROR = '(?:in error|by mistake|by error|erroneously|inadvertently|mistakenly|accidentally|wrongly)'
const TOLD = '(?:reported|reporting|included|listed|disclosed|entered|recorded|showed|shown|reflected|indicated)'
const DID = '(?:purchased|bought|sold|acquired|disposed|exercised|gifted|donated|transferred|received)'
const ERRORS = [
  // `a sale that was inadvertently included`, `the sale was reported in error`
  new RegExp(`${EVENT}${WORDS}{0,16}? ${WRONGLY} ${TOLD}\\b`),
  new RegExp(`${EVENT}${WORDS}{0,16}? ${TOLD}${WORDS}{0,8}? ${IN_ERROR}(?! (?:omitted|excluded|failed|not)\\b)`),
  // `inadvertently reported the vesting of 100 shares`, `erroneously reported that he purchased 100 shares`
  new RegExp(`\\b${WRONGLY} ${TOLD}${QUALITIES}{0,12} ${EVENT}`),
  new RegExp(`\\b${WRONGLY} ${TOLD} that${WORDS}{0,6}? ${DID}\\b`),
  new RegExp(`\\bshould not have (?:been )?${TOLD}\\b`),
  /\bshould not have(?: had)? (?:an? )?(?:separate )?line items?\b/,
]
const WRONG = `(?:${WRONGLY} ${TOLD}|${TOLD} ${IN_ERROR})`
// `reported the sale as a purchase`, `reported the sale with an incorrect price`, `instead of`, `reported late`,
// `reported at $12.00`, but not `reported a sale of 100 shares at $12.00`
const ABOUT_A_FACT = new RegExp(
  '\\bas (?!well\\b|part of|originally|amended|reported|filed|previously|of |a result|described|disclosed|required|' +
    '(?:an? )?(?:separate |additional )?(?:line items?|rows?|transactions?|entry)\\b)|' +
    '\\b(?:instead|rather than|should (?:have been|have|be|instead)(?! (?:been )?(?:deleted|removed|' +
    'omitted|excluded)) ' +
    '(?:reported|listed|shown|coded)|(?:incorrect|wrong|erroneous|inaccurate|correct|actual|' +
    'proper)(?! transactions?\\b)|' +
    'late|untimely|(?:days?|weeks?|months?|too) early|(?<!\\btable i,? (?:and|or) )in table ii|' +
    'corrected to(?! (?:delete|remove|eliminate|omit|exclude|(?:reflect|show|report) that)\\b)|' +
    `to have (?:occurred|taken place|been ${DID}) (?:on|at|between|from)|` +
    `${WRONG} (?:in (?:the )?aggregate|on an? (?:aggregated?|combined) basis|in a single (?:line|row|entry))|` +
    'not (?:been )?(?:timely )?(?:reported|included|disclosed)|omitted|omitting)\\b|' +
    `\\b(?:${WRONG}|${TOLD} that${WORDS}{0,12}? ${DID}) at \\$|` +
    '\\b(?:prices?|numbers? of|amounts? of|dates?|codes?|columns?|boxe?s?|footnotes?|totals?(?! of)|' +
    'balances?|percentages?|' +
    'beneficially owned|beneficial ownership|10b5-1|(?:trading|incentive) plan)\\b(?! shares)',
)

const WITHDRAWALS = [
  // `this amendment withdraws the original Form 4`, `to void the prior filing`, `please disregard the filing`
  new RegExp(
    '\\b(?:withdraw(?:s|ing|n)?|void(?:s|ing)?|nullif(?:y|ies|ying)|rescind(?:s|ing)?|retract(?:s|ing)?|' +
      `cancel(?:s|l?ing)?|revok(?:e|es|ing)|disregard(?:s|ing)?|(?:withdrawal|cancell?ation|retraction) of)` +
      `(?: (?!from\\b|footnote|price|box)[\\w,'/-]+){0,7}? ${FILING}\\b`,
  ),
  // `the Form 4 filed on May 3 is hereby withdrawn`, `should be disregarded`, `is void`, but not `the award reported in
  // the Form 4 was cancelled`
  new RegExp(`(?<!(?<!${WHOLE})${IN_A})\\b${FILING}\\b${WORDS}{0,20}? ${VOIDED}`),
  // `the Form 4 was filed in error`, `inadvertently filed a Form 4`, `should not have been filed`
  new RegExp(
    `\\b${FILING}\\b${WORDS}{0,16}? (?:was|were)(?: (?:filed|submitted|made) ${IN_ERROR}| ${WRONGLY} ` +
      '(?:filed|submitted))' +
      '\\b(?! (?:without|late|with|omitting|before|prior|as|excluding|due)\\b)',
  ),
  new RegExp(
    `\\b${FILING}\\b${WORDS}{0,16}? should not have been (?:filed|submitted)\\b(?! (?:as|with|without|before)\\b)`,
  ),
]
