// The meaning of a footnote's clause for its transaction, once its mention of a Rule 10b5-1 plan has become PLAN (RULE
// if no plan is named). Footnotes mention plans for other reasons too: one to be adopted, one that ended, shares that
// may be sold later. So the words before the mention decide, and what is not understood means nothing.

export type Says = 'yes' | 'no'

const global = (source: string) => new RegExp(source, 'g')

const TRADES = '(?:(?:option )?exercises?|sales?|purchases?|transactions?|trades?|dispositions?|acquisitions?)'
const TRADED =
  '(?:sold|bought|purchased|acquired|disposed(?: of)?|made|effected|executed|exercised|conducted|completed|' +
  'occurred|consummated|implemented|transacted|undertaken|initiated|carried out|placed|reported|sell|selling|disposing)'
const CHANGE =
  '(?:adoption|establishment|creation|terminations?|expiration|cancell?ation|modification|amendment|' + 'suspension)'
/** Words that end a noun phrase, because what follows them is said of something else than the plan. */
const NEXT_CLAUSE =
  '(?:who|was|were|is|are|has|had|have|may|might|will|would|could|shall|should|intends?|but|not|pursuant|under|' +
  'accordance|covered|in exchange|(?<!to )sells?(?!-)|sold(?!-)|' +
  '(?:adopted|established|entered into|terminated) (?:an?|the|his|her|its|their)|' +
  `(?:adopt|establish|enter|terminat|cancell?|amend|modify)ing|${CHANGE})\\b`
/**
 * `that is intended to satisfy`, `which election complies with`: said of the plan itself, or of the shares to be sold.
 */
const OF_THE_PLAN =
  '(?:that|which)(?: [\\w-]+)? ' +
  '(?:(?:is|are|was|were) (?:[a-z]+ )?(?:intended|designed|meant|structured|sufficient|necessary|required|needed)|' +
  'compl(?:y|ies|ied)|satisf(?:y|ies|ied)|meets?|met|qualif(?:y|ies|ied)|conforms?)\\b'
/** A noun phrase between `pursuant to` and the plan, such as whose it is; its length is limited for speed alone. */
const GAP = `(?:,? (?:${OF_THE_PLAN}|(?!${NEXT_CLAUSE}|which\\b|that\\b(?! certain\\b))[^ ,]+)){0,60}?,? `
const UNDER =
  '(?:p[ue]+rs?u?s?[ae]n?t to|in pursuance of|under|underneath|per|via|through|using|utili[sz]ing|within|' +
  'according to|(?:in )?accordance with|consistent with|(?:as |a )?part of|by means of|by operation of|implementing|' +
  'in (?:compliance|conformity|conformance|connection|conjunction|keeping|line|reliance) (?:with|on|upon)|' +
  'as a result of|(?:required|contemplated|specified|triggered|governed|directed|provided|mandated|determined|' +
  'arranged|set|set forth|laid out) (?:by|in|under))'
const SUBJECT_TO =
  '(?:subject to|covered by|compl(?:y|ies|ied|ying) with|satisf\\w+|meets?|met|' + 'qualif\\w+ (?:under|as|for))'
const MENTION = '(?:PLAN|RULE)'

/** That the box was ticked by mistake says only that the other filing was wrong. */
const TICKED_BY_MISTAKE = new RegExp(
  '\\b(?:inadvertent|erroneous|incorrect|mistaken)ly (?:checked|marked|ticked|' +
    'indicated|stated|reported|included|noted|identified|referenced|disclosed)|\\buncheck',
)
/** Issuers buy back under such plans too. */
const BOUGHT_BACK = /\brepurchas|\bbuy-?backs?\b/
/** `Not all of the sales were made under the PLAN` says both, of which rows is unknown. */
const NOT_ALL = /\bnot (?:all|every|each)\b[^]*(?:PLAN|RULE)/

// Between `not` and `pursuant` only words that keep it with the transaction: `does not include shares sold under the
// PLAN` denies nothing, and what `will not be sold` is no transaction.
const NOT = "(?<!(?:may|might|will|would|could|shall|can) )(?:\\b(?:not|nor|never),? |n't )(?!only )"
/** `Further sales are not planned under the PLAN` denies nothing. */
const PLANNED = "(?<!\\b(?:is|are)(?: not|n't) )(?:pre-?|previously )?(?:arranged|planned|scheduled)"
// `Sold by the broker, not by her, under the PLAN` and `not voluntarily, but under the PLAN` deny nothing.
const KEPT =
  '(?:(?:been|being|be|have|in|to|a|an|any|or|either|intended|considered|otherwise|automatic|voluntary|' +
  `(?:automatically|voluntarily)(?= ${TRADED}\\b)|directly or indirectly|occur|tak(?:e|en) place|done|entered into|` +
  `${PLANNED}|${TRADED} by the (?:reporting person|undersigned|broker)(?!,)|part of|${TRADES}|${TRADED}),? )*`
const OUTSIDE =
  '\\b(?:outside(?: of)?|without|instead of|rather than|in lieu of|independent(?:ly)? of|apart from|' +
  'separate from|unrelated to)'
const DENIALS = [
  `${NOT}${KEPT}(?:(?:${UNDER}|${SUBJECT_TO})(?:,? or ${UNDER})?${GAP})?(?:an? |any |the )?${MENTION}`,
  `${OUTSIDE} (?:${UNDER} )?(?:an?|any|the|his|her|its|their|such|[\\w ]{1,30}'s?)(?: [\\w-]+){0,4} ${MENTION}`,
  `\\bother than ${UNDER}${GAP}${MENTION}`,
  `\\bnon[- ]?${MENTION}`,
  "\\b(?:no|none|neither) (?!longer|further|additional|more|remaining)(?:[\\w'()]+ ){0,8}?(?:was|were|are|is) " +
    `(?:\\w+ly )?(?:${TRADED} )?${UNDER}${GAP}${MENTION}`,
  "\\b(?:no|(?:not|n't) (?:currently |then )?(?:have|having|had|adopted|entered into|established) (?:an?|any)) " +
    `(?:[\\w-]+ ){0,2}${MENTION}`,
].map(global)

const AFFIRMATIONS = [
  `\\b${UNDER}${GAP}${MENTION}(?! (?:will|would|may|might|shall|could)\\b)`,
  // `Rule 10b5-1 sale`; `this sale is covered by a PLAN`; `the PLAN under which they were sold`; `made thereunder`.
  `${MENTION}(?:'s)? (?:automatic )?${TRADES}\\b`,
  `\\b${TRADES}(?: [\\w'()]+){0,8} ${SUBJECT_TO}${GAP}${MENTION}`,
  'PLAN[^]{0,120}?\\b(?:pursuant to|under|by|in accordance with) which[^]{0,60}?\\b(?:was|were|has been|have been) ' +
    '(?:\\w+ )?(?:sold|made|effected|executed|purchased)',
  `PLAN[^]{0,80}?\\b${TRADED} (?:\\w+ ){0,3}thereunder`,
].map(global)

// A footnote that only describes the plan (`10b5-1 plan dated 3/1/20`, `the PLAN was adopted on ...`, `this plan is
// intended to satisfy Rule 10b5-1(c)`) hangs there because the transaction was made under it. With `a` before it,
// `adopted a PLAN` is news of a plan, under which nothing need have been sold yet.
const ADOPTED =
  '(?:adopted|entered into|established|dated|effective|executed|instituted|implemented|approved|' +
  'put in place|signed)'
const QUALITIES =
  '(?:(?:reporting|person|pre-?arranged|pre-?existing|existing|written|automatic|non-?discretionary|' +
  'irrevocable|qualified|valid|individual|previously (?:established|adopted|disclosed|announced)|stock|trading|' +
  "sell-to-cover|sales|selling|[\\w.]+'s?) )*"
const DEFINITE = '(?:the|this|these|his|her|their|its|such|said|that) '
const DESCRIPTIONS = [
  `^(?:see:? |note:? |[*(\\d)]+ )?(?:an? |${DEFINITE})?${QUALITIES}PLAN` +
    `(?:,? (?:${ADOPTED}|of|by|on|as of|from)\\b[^]*|[ ,:;(-]*\\d[^]*)?[ .)"]*$`,
  `\\b${DEFINITE}${QUALITIES}PLAN(?: \\([^)]*\\))?(?:,? (?:which|that))?(?: (?:was|were|is|had been|has been))?` +
    `(?: (?:previously|originally|first|initially|duly))? ${ADOPTED}`,
  "PLAN(?:'s)? (?:date of adoption|adoption date)",
  `\\b(?:date of adoption|adoption date) (?:of|for)${GAP}PLAN(?: is| was|:|,| \\d|\\.|$)`,
].map((source) => new RegExp(source))
const ENDED = /\b(?:terminat|cancel|expir|suspend|discontinu|revok|rescind|withdr[ae]w)/

/** Returns both if the clause says both, as of parts of the shares; nothing if it says nothing. */
export function saidBy(clause: string): Says[] {
  // Nothing below says anything without one: a text of hundreds of clauses costs little where few name a plan.
  if (!/PLAN|RULE/.test(clause)) return []
  if (TICKED_BY_MISTAKE.test(clause) || BOUGHT_BACK.test(clause) || NOT_ALL.test(clause)) return []
  const rest = DENIALS.reduce((left, denial) => left.replace(denial, ' - '), clause)
  return [...(rest === clause ? [] : ['no' as const]), ...(affirms(rest) ? ['yes' as const] : [])]
}

function affirms(clause: string): boolean {
  const matches = AFFIRMATIONS.flatMap((affirmation) => [...clause.matchAll(affirmation)])
  return (
    matches.some(({ index, 0: text }) => isAboutThis(clause.slice(0, index) + text.split(' ', 1)[0])) ||
    (!ENDED.test(clause) && isAboutThis(clause) && DESCRIPTIONS.some((description) => description.test(clause)))
  )
}

// The last of these decides: `taxes that may be due, shares were sold under` is a transaction, `shares that may be sold
// under` is not.
const TO_COME = '(?:may|might|will|would|could|can|shall|should|intends?|expects?|plans|anticipates?|proposes?)'
const TO_DO =
  '(?:sell|sold|bought|buy|purchased?|acquired?|disposed?|made?|make|effect(?:ed)?|executed?|exercised?|' +
  'trade|conduct(?:ed)?|transact|occur|engage|file)'
const LATER =
  `${TO_COME}(?: ?,[^,]{0,60},)?` +
  '(?: (?:to|also|not|be|then|only|have|been|from|time|in|the|future|continue|begin|again)){0,7} (?:[a-z]+ )??' +
  `${TO_DO}|to be ${TO_DO}|(?:available|eligible|reserved|remain(?:s|ed|ing)?)` +
  '(?: (?:available|eligible|unsold|for|to|be|under|in|subject|sale|sell|sold)\\b)+' +
  `|(?:future|potential|upcoming|anticipated|proposed|no further|no additional|no more) ${TRADES}` +
  '|(?:permit(?:s|ted)?|allow(?:s|ed)?|prohibits?|restricts?|except(?:ing)?|unless|intends? to|expects? to)' +
  `(?:(?: (?!was|were)[a-z]+){0,4}? (?:${TRADES}|${TRADED}))?`
const MARK = global(`\\b(?:(?<later>${LATER})|${TRADES}|${TRADED}|represents?)\\b`)

/** Checks that the words before the mention describe something done, and not something held or left out. */
function isAboutThis(before: string): boolean {
  if (/\b(?:not|n't) (?:include|reflect)|\bexclud(?:es?|ing)\b/.test(before)) return false
  const last = [...before.matchAll(MARK)].at(-1)?.groups
  if (last) return last.later === undefined
  return !/\b(?:includ(?:es?|ing)|held|holds?|owned|owns|beneficial(?:ly)?)\b/.test(before)
}
