// The transactions that a clause about a Rule 10b5-1 plan speaks of: those of its own row, or all of the form. Clauses
// are lower case, with the plan written PLAN.
/** `row`: what it is attached to; otherwise all transactions, sales or purchases of the form. */
export type PlanScope = 'row' | 'all' | 'sales' | 'purchases'

/** Where a text stands. Remarks have no row, so their `these transactions` are all of them. */
export type TextPlace = 'footnote' | 'remarks'

/** The transaction codes that a scope reaches beyond its own row; null for all codes. */
export const REACHED_CODES = { all: null, sales: 'S', purchases: 'P' } as const satisfies Record<
  Exclude<PlanScope, 'row'>,
  string | null
>

const NOUN = '(?:exercises?|sales?|purchases?|transactions?|trades?|dispositions?|acquisitions?|sells?|shares)'
const QUALITY =
  '(?:reported|open[- ]market|market|common|ordinary|class [a-z]|stock|shares?|option|corresponding|related|' +
  'resulting|same[- ]day|derivative|non[- ]derivative|exercise|sale|purchase|aforementioned|above|foregoing)'
const QUANTITY = '(?:all|each|every|any|none|no|neither|both)(?: and every| one)?(?: of)?(?: the| these| those| such)?'
const OF_SHARES =
  "(?: of (?:(?:the|these|such|class [a-z]|common|ordinary|issuer's|company's|issuer|company) )*" +
  '(?:stock|shares?|securities|units|adss?|options|common)(?: of the (?:issuer|company))?)?'
const REPORTED =
  '(?: (?:(?:that|which) (?:are|were|is|was|have been) |being )?(?:reported|disclosed|listed|' +
  'described|shown|set forth|' +
  'set out|reflected|identified|noted|indicated|included|contained|referenced|covered|detailed)' +
  '(?: by the (?:undersigned|reporting (?:persons?|owners?)))?)'
const TABLES = '(?: (?:in|on) tables? i+(?: and (?:table )?ii)?)'
const FORM =
  '(?: (?:herein|hereby|hereon|hereunder|above)\\b|' +
  `(?:${TABLES} of| (?:on|in|by|of)) (?:this|the|the present) (?:amended )?(?:form|report|filing|` +
  'statement|amendment)\\b' +
  '(?: ?4(?: ?/a)?\\b)?(?: filing| report)?)'
const KIND = `(?:${QUALITY} ){0,5}${NOUN}`
const KINDS = `(?<kinds>${KIND}(?:${REPORTED}?${TABLES})?(?:(?:,|,? and|,? or|,? and/or) (?:the )?${KIND}){0,3})`
const WHOSE = `(?:(?<quantity>${QUANTITY}) |(?:the|these|those|such|this) )?`
/** What is said of the subject comes right after it: `the sales reported here include ...` speaks of a part. */
const VERB =
  '(?=[,)]?(?: [a-z]+ly)? (?:were|was|are|is|have|has|had|did|does|do|occurred|took place)\\b|' +
  '(?: automatically)? (?:pursuant|under|in accordance)\\b)'

const OF_THE_FORM = new RegExp(`\\b${WHOSE}${KINDS}${OF_SHARES}${REPORTED}?${OF_SHARES}${FORM}${VERB}`, 'g')
const OF_ALL = new RegExp(`\\b(?<quantity>${QUANTITY}) ${KINDS}${OF_SHARES}${REPORTED}?${VERB}`, 'g')
const OF_REMARKS = new RegExp(`\\b${WHOSE}${KINDS}${OF_SHARES}${REPORTED}?${VERB}`, 'g')
const FORM_REPORTS = new RegExp(
  '\\bthis (?:form|report|filing|statement)(?: ?4)?(?: (?:only|solely))? ' +
    '(?:reports?|relates to|discloses?|reflects?|covers)(?: (?:only|solely))?' +
    ` ${KINDS}${OF_SHARES}(?: (?:that|which) (?:were|was))?(?: (?:made|effected|executed|conducted))?` +
    '(?: automatically)? (?:pursuant|under|in accordance)\\b',
  'g',
)
/** `Shares sold pursuant to ...`, as the beginning of a remark. */
const SOLD = new RegExp(
  String.raw`^(?:(?:all|the|these) )?(?:of )?(?:the |these )?(?:common |ordinary )?(?:shares |stock ` +
    String.raw`)?(?:were |was )?(?<sold>sold|purchased|bought)(?: \w+ly)? (?:pursuant|under|in accordance|` +
    String.raw`per)\b`,
)

const SOME = new RegExp(
  String.raw`\b(?:some|certain|most|many|several|few|part|portion|half|majority|remainder|rest|number|` +
    String.raw`one|two|three|first|second|third|last|other|additional|prior|previous|earlier|future|` +
    String.raw`remaining|not|\d[\d,]*)(?: of)?(?: the| these| those| such)? $`,
)
const NOTED = '(?:otherwise |specifically )?(?:noted|indicated|stated|described|disclosed|specified|set forth|provided)'
const EXCEPT_AS_NOTED = new RegExp(`\\b(?:except|unless) (?:(?:as|where|to the extent) )?${NOTED}\\b`)
const EXCEPT = new RegExp(
  `\\b(?:except(?:ing)?|excluding|apart from|with the exception)\\b(?! (?:as|where|to the extent) ${NOTED})|` +
    '\\bother than\\b(?! (?:pursuant|under)\\b)',
)

/** Returns what the clause speaks of. A clause of remarks that is about a part of the transactions has scope `row`. */
export function scopeOf(clause: string, place: TextPlace): PlanScope {
  if (EXCEPT.test(clause)) return 'row'
  const patterns = place === 'remarks' ? [OF_THE_FORM, OF_ALL, FORM_REPORTS, OF_REMARKS] : [OF_THE_FORM, FORM_REPORTS]
  for (const subject of patterns.flatMap((pattern) => [...clause.matchAll(pattern)])) {
    const { kinds = '', quantity } = subject.groups!
    if (SOME.test(clause.slice(0, subject.index))) continue
    // `The transaction reported on this form` in a footnote is the one that it is attached to.
    if (place === 'footnote' && !quantity && !PLURAL.test(kinds)) continue
    return scopeOfKinds(kinds, clause.slice(subject.index + subject[0].length))
  }
  if (place === 'footnote') return scopeOfAll(clause)
  const sold = SOLD.exec(clause)?.groups!.sold
  return sold === undefined ? 'row' : sold === 'sold' ? 'sales' : 'purchases'
}

/**
 * In a footnote, `all sales were made ...` may be about the trades behind one average price, `all transactions` not.
 */
function scopeOfAll(clause: string): PlanScope {
  for (const subject of clause.matchAll(OF_ALL)) {
    const kinds = subject.groups!.kinds!
    if (SOME.test(clause.slice(0, subject.index))) continue
    if (/\btransactions?\b/.test(kinds) || EXCEPT_AS_NOTED.test(clause)) {
      return scopeOfKinds(kinds, clause.slice(subject.index + subject[0].length))
    }
  }
  return 'row'
}

const PLURAL = /(?:exercise|sale|purchase|transaction|trade|disposition|acquisition|sell|share)s\b|,|\b(?:and|or)\b/

/** `predicate`: what is said of them, which tells what was done with `the shares reported on this form`. */
function scopeOfKinds(kinds: string, predicate: string): PlanScope {
  const done = /^.{0,40}?\b(?:sold|disposed|purchased|bought|acquired)\b/.exec(predicate)?.[0] ?? ''
  const words = /\b(?:exercise|sale|sell|purchase|transaction|trade|disposition|acquisition)/.test(kinds) ? kinds : done
  const sold = /\b(?:sales?|sells?|dispositions?|sold|disposed)\b/.test(words)
  const bought = /\b(?:purchases?|acquisitions?|purchased|bought|acquired)\b/.test(words)
  const other = /\b(?:exercises?|trades?)\b|(?<!\b(?:sale|purchase) )\btransactions?\b/.test(words)
  if (sold !== bought && !other) return sold ? 'sales' : 'purchases'
  return /^(?:(?!sale|purchase|transaction|trade).)*$/.test(words) ? 'row' : 'all'
}
