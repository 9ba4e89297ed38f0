// Clauses of a footnote in which the many ways to write a Rule 10b5-1 plan are one word: PLAN, or RULE for the rule
// without a plan. Everything else is in lower case.

/** Footnotes end at 1,000 characters, remarks at 2,000. */
const LONGEST = 4000

const ABBREVIATIONS = (
  'mr|mrs|ms|dr|jr|sr|no|nos|st|inc|corp|co|ltd|u\\.s|approx|vs|sec|jan|feb|mar|apr|jun|jul|' + 'aug|sept?|oct|nov|dec'
).replace(/\b[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
const CLAUSE_END = new RegExp(
  `;\\s+|(?<=[\\w)%"'\\]])(?<!\\b(?:[A-Za-z]|${ABBREVIATIONS}))\\.["')]*\\s+(?=["'(*]*[A-Z0-9])`,
  'g',
)

// `10b5-1(c)(1)`, `10b-5-1`, `10(b)5-1`, `10b5 1`, `10b51`, `10 b5-1`, and `-l` typed for `-1`.
const RULE = new RegExp(
  '(?:\\b(?:sec )?rules? |\\bsection |§ ?)?(?:\\b240\\.)?\\b10 ?-?\\(? ?b ?\\)? ?-?\\(? ?5 ?\\)?' +
    '(?: ?[-./ ] ?\\(?(?:1|(?<=-)[il]\\b)|\\(?1)(?!\\d|,\\d)\\)?(?: ?\\( ?[a-d1-4ivx]+ ?\\))*',
  'g',
)
// `10b5 plan`, `10b5-trading plan`, `105b-1 plan`: a plan makes clear what else would be the rule against fraud, or a
// slip.
const SLIP =
  /(?:\brules? )?\b(?:10 ?-?\(?b\)? ?-?\(?5\)?|105 ?b ?-?1|10 ?b ?-?1(?:-5)?|10b5-[05]1?)(?:-(?=[a-z])|(?![\d-]))/g
const ACT = new RegExp(
  ',? (?:of|under|promulgated (?:under|pursuant to)) the (?:u\\.?s\\.? )?(?:securities )?(?:and )?' +
    '(?:exchange )?act(?: of 1934)?(?: ?\\([^)]{0,40}\\))?(?:,? as amended)?,?',
  'g',
)

/** `"sell to cover" instruction`: to sell, on vesting, as many shares as pay the taxes. */
const SELL_TO_COVER = /"?\bsell[- ]to[- ]cover\b"?/g

const NOUN =
  '(?:plans?|programs?|programme|arrangements?|agreements?|instructions?|contracts?|orders?|' +
  'authori[sz]ations?|letters?|' +
  'sell-to-cover (?:elections?|directions?|directives?|mandates?|provisions?|polic(?:y|ies)|procedures?))'
const BETWEEN =
  '(?:,? (?!(?:pursuant|under|on|by|which|that|for|adopt\\w*|enter\\w*|dated|was|were|is|to|with|in|' +
  'repurchase|buyback)\\b)[\\w\'"&/().-]+)'
const PLAN_OF_RULE = new RegExp(`RULE${BETWEEN}{0,6}? ${NOUN}\\b`, 'g')
const PLAN_OF_SLIP = new RegExp(`SLIP${BETWEEN}{0,4}? ${NOUN}\\b`, 'g')
// `trading plan adopted in accordance with Rule 10b5-1`, `written instructions that are intended to comply with it`;
// what is `not intended to` stays as it is.
const LINK =
  '(?:adopted|entered|established|designed|intended|accordance|compliance|compl(?:y|ies|ied|ying|iant)|' +
  'satisf\\w+|meets?|meeting|qualif\\w+|conform\\w*|pursuant|under|within|requirements|conditions|defense|' +
  'of the type|\\()'
/** `Rule 10b-5 and Rule 144` are two rules, and no slip. */
const SLIP_ALONE = '(?<!\\brules? [\\w-]{1,12},? (?:and|or) )SLIP(?!,? (?:and|or) (?:rules? )?\\d)'
const RULE_OF_PLAN = new RegExp(
  `\\b${NOUN}(?: \\("[^"]*"\\))?,? ` +
    `(?:(?!\\b(?:${NOUN}|sold|effected|transactions?|not)\\b|n't|PLAN|RULE)[^]){0,220}?\\b${LINK}` +
    `[^;]{0,60}?(?:RULE|${SLIP_ALONE})`,
  'g',
)
// `The sales were made under that plan`, in another clause than the one that says what plan it is.
const SAME_PLAN = new RegExp(
  '\\b(?:that|such|said|this|the|these|those)(?: same| above| aforementioned)? "?' +
    `(?:(?:same|written|trading|sales?|selling|sell-to-cover|referenced) )*${NOUN}\\b"?(?! (?:of|among|between))`,
  'g',
)

/** Splits the first 4,000 characters of the text at the ends of sentences and at semicolons. */
export function sentencesOf(text: string): string[] {
  const plain = text
    .slice(0, LONGEST)
    .replace(/[\u2010-\u2015\u2212\u00ad\ufffd]/g, '-')
    .replace(/[\u2018\u2019\u02bc`]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\s+/g, ' ')
    .trim()
  return plain.split(CLAUSE_END)
}

/** Returns the sentences in lower case, with plans named. */
export function clausesOf(text: string): string[] {
  const clauses = sentencesOf(text).map(withPlanNamed)
  const namesPlan = clauses.some((clause) => clause.includes('PLAN'))
  return namesPlan ? clauses.map((clause) => clause.replace(SAME_PLAN, 'the PLAN')) : clauses
}

function withPlanNamed(clause: string): string {
  const words = clause.toLowerCase().replace(SELL_TO_COVER, 'sell-to-cover')
  if (!words.includes('10')) return words.replace(ACT, '')
  return words
    .replace(RULE, 'RULE')
    .replace(/"RULE"/g, 'RULE')
    .replace(SLIP, (slip) => (slip.endsWith('-') ? 'SLIP ' : 'SLIP'))
    .replace(ACT, '')
    .replace(PLAN_OF_RULE, 'PLAN')
    .replace(PLAN_OF_SLIP, 'PLAN')
    .replace(RULE_OF_PLAN, 'PLAN')
    .replace(/\bSLIP\b/g, 'rule')
}
