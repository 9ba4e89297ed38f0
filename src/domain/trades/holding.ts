// How a row is held, and whose names its nature of ownership and its footnotes hold. Rows of different filings are one
// event only if something says that they report one holding, and most often a name says so.
import { wordSet } from '../shared/word-set.ts'
import {
  CHILD_WORDS,
  ENTITY_WORDS,
  GENERIC,
  LEGAL_FORMS,
  MENTION,
  nameOf,
  NAMELESS,
  PLAN_WORDS,
  SPOUSE_WORDS,
  SUFFIXES,
  TITLES,
  TRUST_WORDS,
  wordsOf,
} from './holder-names.ts'

/**
 * How a row is held: directly; through the spouse; in a vehicle that only its owner can have (a retirement account, a
 * child's account, a trust of one's own, with a proper name or not); through an entity that is named; or through
 * something that is not named ("By LLC", "See footnote" of a footnote without a name).
 */
export type Holding = 'direct' | 'spouse' | 'personal' | 'entity' | 'unnamed'

export interface HoldingFacts {
  holding: Holding
  /**
   * Names in capitals, without punctuation and legal form: of those through whom the row is held, and after a `~` of
   * those who are only spoken of. The latter matter if one of them owns the other filing.
   */
  holderNames: string[]
}

const MOST_NAMES = 12
/** Of a footnote or nature no more is read: EDGAR takes 1,000 characters, twice that if entities were escaped. */
const LONGEST_TEXT = 4000

/**
 * Matches, whatever the case, footnotes that can name anyone or say how a row is held; `holdingOf` finds nothing in all
 * others.
 */
export const NAMING_FOOTNOTE =
  String.raw`\b(?:held|hold|holds|holding|holdings|holder|owns?|owned|owner|sold|purchased|distributed|behalf|` +
  String.raw`benefit|accounts?|disclaims?|spouse|wife|husband|domestic|trusts?|trustees?|custodian|ira|dr|mr|mrs|` +
  String.raw`ms|messrs|prof|partners?|partnership|members?|managers?|managed|advisers?|advisors?|funds?|capital|` +
  String.raw`ventures?|investments?|investors?|associates|foundation|sponsor|llc|lp|llp|lllp|inc|ltd|limited|corp|` +
  String.raw`corporation|company|plc|gmbh)\b|\bl\.? ?l\.? ?c\b|\bl\.? ?p\b`
const naming = new RegExp(NAMING_FOOTNOTE, 'i')

/** Between the parts of a name, in small letters. */
const JOINERS = wordSet('OF DE DEL DA DI DU LA LE VAN VON DER DEN TEN TER BIN IBN')
/** Begin no name and end one: words of footnotes that stand in capitals at a beginning, or in a text of capitals. */
const BREAKS = wordSet(`
  A ACT ALL ALSO AN AND ANY APRIL ARE AS AT AUGUST AWARD AWARDS BE BENEFICIAL BENEFICIALLY BOARD BY CHAIRMAN CHIEF
  CLASS COMMON CONSISTS DATE DATED DECEMBER DEEMED DIRECTLY DIRECTOR DISCLAIMS EACH EXCHANGE EXCLUDES EXECUTIVE
  FEBRUARY FOLLOWING FOOTNOTE FOR FORM FROM HAS HAVE HE HELD HER HIS HOLDS IF IN INCLUDES INDIRECTLY IS ISSUER IT ITS
  JANUARY JULY JUNE MANAGER MANAGING MARCH MAY MEMBER MERGER NO NOT NOTE NOVEMBER OCTOBER OFFICER ON ONE OPTION
  OPTIONS OR OWNED OWNER OWNS PARTNER PERSON PERSONS PLAN PREFERRED PRESIDENT PURSUANT RECORD REFLECTS REPORTING
  REPRESENT REPRESENTS RESTRICTED RSU RSUS RULE SAID SECTION SECURITIES SECURITY SEE SEPTEMBER SHARE SHARES SHE SOLE
  STOCK SUCH THAT THE THEIR THESE THIS THOSE THROUGH TO TRUSTEE TRUSTEES UNDER UPON VOTING WAS WERE WHICH WHO WITH
`)

/** Returns how a row is held and the names in it; `footnotes` are the texts attached to any of its cells. */
export function holdingOf(
  row: { directIndirect: string | null; nature: string | null },
  footnotes: readonly string[],
): HoldingFacts {
  const nature = ofNature((row.nature ?? '').slice(0, LONGEST_TEXT))
  const texts = footnotes.map((text) => text.slice(0, LONGEST_TEXT)).filter((text) => naming.test(text))
  const names = new Names(nature)
  const aliases = new Map<string, Found>()
  for (const text of texts) namesIn(text, aliases, names)
  return { holding: holding(row, nature, texts, names), holderNames: names.all() }
}

function holding(row: { directIndirect: string | null }, nature: Nature, texts: string[], names: Names): Holding {
  if (row.directIndirect !== 'I') return 'direct'
  if (nature.holding !== null && nature.holding !== 'unnamed') return nature.holding
  if (names.kinds.has('entity')) return 'entity'
  if (nature.holding !== null) return nature.holding
  if (names.kinds.has('trust') || texts.some((text) => OF_ONE_PERSON.test(text))) return 'personal'
  return texts.some((text) => OF_SPOUSE.test(text)) ? 'spouse' : 'unnamed'
}

const OF_SPOUSE = new RegExp(
  String.raw`\b(?:held|owned)\b[^.;]{0,80}\b(?:spouse|wife|husband|domestic partner)\b|` +
    String.raw`\b(?:spouse|wife|husband) (?:directly )?(?:holds|owns)\b`,
  'i',
)
const OF_ONE_PERSON = new RegExp(
  String.raw`\b(?:held|owned)\b[^.;]{0,120}\b(?:trusts?|trustees?|iras?|401|roth|retirement|pension|custodian|` +
    String.raw`child(?:ren)?|sons?|daughters?|minor|utma|ugma|family)\b`,
  'i',
)

interface Nature {
  /** Null where the nature says nothing of it: "See footnote", "Indirect". */
  holding: Holding | null
  names: string[]
  mentions: string[]
}

/** What separates entries, but not `Steel Partners, Ltd.`, and not names from `Jr.` */
const ENTRIES = new RegExp(
  String.raw`;|,(?!\s*(?:l\.? ?l\.? ?c|l\.? ?p|l\.?l\.?l\.?p|llp|inc|incorporated|ltd|limited|corp|co|plc|gmbh|` +
    String.raw`s\.?a|n\.?v|gp|jr|sr|i{1,3}|iv)\b)`,
  'i',
)
/** What leads to the holder's name. */
const LEADS =
  /\b(?:by|through|via|held in|interests? in|(?:trustee|manager|member|partner|shareholder|estate) (?:of|for))\b|[:=]/gi
const TRUST_DATE = /\b(?:dtd|dated|u\/a|u\/a\/d|uad|uta|as held)\b.*$/is

function ofNature(text: string): Nature {
  const words = wordsOf(text)
  const has = (some: ReadonlySet<string>) => words.some((word) => some.has(word))
  if (has(PLAN_WORDS)) return { holding: 'personal', names: [], mentions: [] }
  const names = text.split(ENTRIES, 4).map(natureName).filter(Boolean)
  const isEntity = words.some((word) => LEGAL_FORMS.has(word) && word !== 'AS' && word !== 'CO') || has(ENTITY_WORDS)
  if (names.length > 0) {
    const legal = words.some((word) => NAMELESS.has(word) || word === 'INC' || word === 'LTD' || word === 'LIMITED')
    if (has(TRUST_WORDS) && !legal) return { holding: 'personal', names, mentions: [] }
    if (isEntity) return { holding: 'entity', names, mentions: [] }
    if (has(SPOUSE_WORDS) || text.toLowerCase().includes('domestic partner')) {
      return { holding: has(CHILD_WORDS) ? 'personal' : 'spouse', names: [], mentions: names }
    }
    if (has(CHILD_WORDS)) return { holding: 'personal', names: [], mentions: [] }
    // Of a person, or a firm without a form in its name: `By Ann Example`, but not `Please refer to remarks`.
    return isTitleCase(text)
      ? { holding: 'unnamed', names, mentions: [] }
      : { holding: 'unnamed', names: [], mentions: names }
  }
  const nameless = (holding: Holding | null): Nature => ({ holding, names: [], mentions: [] })
  if (has(TRUST_WORDS) || has(CHILD_WORDS)) return nameless('personal')
  if (has(SPOUSE_WORDS) || text.toLowerCase().includes('domestic partner')) return nameless('spouse')
  if (has(NAMELESS)) return nameless('unnamed')
  return nameless(words.includes('FAMILY') ? 'personal' : null)
}

/** Whether all words, of two or more, stand in capitals, those of `Directly held by` aside. */
function isTitleCase(text: string): boolean {
  const words =
    text.replace(/^\s*(?:(?:directly|indirectly) )?(?:(?:held|owned) )?(?:by|through)\b:?/i, '').match(/\p{L}+/gu) ?? []
  return words.length > 1 && words.every((word) => /^\p{Lu}/u.test(word))
}

function natureName(entry: string): string {
  let from = 0
  for (const lead of entry.matchAll(LEADS)) from = lead.index + lead[0].length
  const words = wordsOf(entry.slice(from).replace(TRUST_DATE, ''))
  const first = words.findIndex((word) => !LEADING.has(word))
  return first < 0 ? '' : nameOf(words.slice(first))
}

/** Before a name in a nature. */
const LEADING = new Set([
  ...CHILD_WORDS,
  ...SPOUSE_WORDS,
  ...wordSet('A AN AS BY DIRECTLY HELD IN INDIRECTLY OF OWNED RECORD SELF SHARES THE TRUSTEE'),
])

type Kind = 'entity' | 'trust' | 'person'
interface Found {
  name: string
  kind: Kind
}

/** The names of a row, those through whom it is held first. */
class Names {
  /** Kinds of those through whom it is held, by the footnotes. */
  readonly kinds = new Set<Kind>()
  readonly #held: Set<string>
  readonly #titled = new Set<string>()
  readonly #mentioned: Set<string>

  constructor({ names, mentions }: Nature) {
    this.#held = new Set(names)
    this.#mentioned = new Set(mentions)
  }

  add({ name, kind }: Found, isHolder: boolean): void {
    const isTitled = TITLES.has(name.slice(0, name.indexOf(' ')))
    const names = isHolder ? this.#held : isTitled ? this.#titled : this.#mentioned
    if (isHolder) this.kinds.add(kind)
    if (names.size < MOST_NAMES) names.add(name)
  }

  all(): string[] {
    const mentions = [...this.#titled, ...this.#mentioned].filter((name) => !this.#held.has(name))
    return [...this.#held, ...mentions.map((name) => `${MENTION}${name}`)].slice(0, MOST_NAMES)
  }
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}.'’/-]*|&/gu
/** As many words as a name has at most. */
const LONGEST_RUN = 14

interface Run {
  words: string[]
  /** Words like `of` after these, which belong to the name if it continues. */
  joiners: string[]
  from: number
  to: number
}

/** Adds the names that a footnote holds; `aliases` are what footnotes before it and it define: `(the "Fund")`. */
function namesIn(text: string, aliases: Map<string, Found>, names: Names): void {
  const issuers = new Set<string>()
  let before = undefined as { to: number; isHolder: boolean; isTitled: boolean } | undefined
  for (const run of runsOf(text)) {
    const isListed: boolean = before !== undefined && LISTED.test(text.slice(before.to, run.from))
    const words = wordsOf(run.words.join(' '))
    const isTitled: boolean = TITLES.has(words[0]!) || (isListed && before!.isTitled)
    const found = aliases.get(words.join(' ')) ?? named(isTitled && words.length === 1 ? ['MR', ...words] : words)
    if (!found) continue
    const alias = ALIAS.exec(text.slice(run.to, run.to + 80))?.[1]
    if (alias) aliases.set(wordsOf(alias).join(' '), found)
    if (alias && ISSUER.test(alias)) issuers.add(found.name)
    const inherits = isListed && before!.isHolder
    const isHolder = found.kind !== 'person' && !issuers.has(found.name) && (inherits || isHeldThrough(text, run))
    names.add(found, isHolder)
    before = { to: run.to, isHolder, isTitled }
  }
}

const ALIAS = /^\.?\s*\(\s*(?:the\s+)?["“]\s*(?:the\s+)?([^"”)]{1,40})["”]/i
const ISSUER = /^(?:issuer|company|corporation|registrant)$/i
const LISTED = /^\.?(?:\s*\([^)]{0,60}\))?\s*(?:,|and|&|or|, and)?\s*(?:the\s+)?$/i
const HELD_BY = new RegExp(
  String.raw`\b(?:held|owned|sold|purchased|managed|controlled|advised)\b[^.;]{0,40}\b(?:by|through|in|for)\s+` +
    String.raw`(?:the\s+|each of\s+|both\s+)*$|\bthrough\s+(?:the\s+)?$`,
  'i',
)
const ROLE_AT = new RegExp(
  String.raw`\b(?:partner|members?|managers?|advis[eo]r|trustees?|principal|sole (?:share|stock)holder|settlor|` +
    String.raw`account|benefit|behalf|name)\s+(?:of|to|for|at|in)\s+(?:the\s+|each of\s+|both\s+)*$`,
  'i',
)
const HOLDS = new RegExp(
  String.raw`^\.?(?:\s*\([^)]{0,60}\))?,?\s+(?:(?:is|was|are|as|which)\s+)?` +
    String.raw`(?:(?:the|a|each|sole|direct|directly|record|registered|managing|general|investment)\s+)*` +
    String.raw`(?:holder|owner|manager|member|partner|trustee|advis[eo]r|holds|owns|sold|purchased|distributed|` +
    String.raw`(?:held|owned)(?! (?:of record |\w+ly )?by)|may be deemed|disclaims|has (?:sole|shared))\b`,
  'i',
)
/** What speaks of others than holders: who buys a company, and who keeps everyone's accounts. */
const NO_HOLDER = new RegExp(
  String.raw`\b(?:mergers?|merged|acquired|acquisition|tender|tendered|offer|custodian|401|401k|iras?|plan|esop|` +
    String.raw`street name|nominee|escrow|transfer agent|brokers?|brokerage)\b`,
  'i',
)

function isHeldThrough(text: string, { from, to }: Run): boolean {
  const [before, after] = [text.slice(Math.max(0, from - 80), from), text.slice(to, to + 100)]
  if (!HELD_BY.test(before) && !ROLE_AT.test(before) && !HOLDS.test(after)) return false
  return !NO_HOLDER.test(text.slice(Math.max(0, from - 120), to + 80))
}

/** Returns runs of words in capitals, which may be names. */
function runsOf(text: string): Run[] {
  const runs: Run[] = []
  let last: Run | undefined
  let at = 0
  for (const match of text.matchAll(WORD)) {
    const [typed] = match
    const gap = text.slice(at, match.index)
    at = match.index + typed.length
    const word = typed.replace(/['’]s\.?$|(?<![.'’/-])[.'’/-]+$/, '')
    const upper = word.toUpperCase()
    const isForm = isLegalForm(word)
    const follows = /^\s*$/.test(gap) || (/^,\s*$/.test(gap) && (isForm || SUFFIXES.has(upper)))
    const isFull =
      last !== undefined && (last.words.length >= LONGEST_RUN || (isLegalForm(last.words.at(-1)!) && !isForm))
    if (!follows || isFull) last = undefined
    const isJoiner =
      typed === '&' || (JOINERS.has(upper) && word !== upper) || (word === 'the' && last?.joiners.at(-1) === 'of')
    if (last && isJoiner) {
      last.joiners.push(word)
      continue
    }
    const isInitial = /^\p{Lu}\.$/u.test(typed)
    const isName = (/^[\p{Lu}\p{N}]/u.test(word) || (last && isForm)) && (isInitial || !BREAKS.has(upper))
    if (!isName) {
      last = undefined
      continue
    }
    if (!last) {
      last = { words: [], joiners: [], from: match.index, to: at }
      runs.push(last)
    }
    const initials = /^(?:\p{Lu}\.)+\p{Lu}?\.?$/u.test(typed) && !isForm
    last.words.push(...last.joiners.splice(0), ...(initials ? word.split('.').filter(Boolean) : [word]))
    last.to = match.index + word.length
    if (typed !== word && !isAbbreviation(typed, word)) last = undefined
  }
  return runs
}

const isLegalForm = (word: string): boolean => LEGAL_FORMS.has(word.replaceAll('.', '').toUpperCase())

/** Whether a name can continue after a word that ends in a point. */
function isAbbreviation(typed: string, word: string): boolean {
  const upper = word.toUpperCase()
  if (typed !== `${word}.`) return false
  return (
    isLegalForm(word) ||
    word.length <= 2 ||
    upper === 'BROS' ||
    word.includes('.') ||
    TITLES.has(upper) ||
    SUFFIXES.has(upper)
  )
}

function named(words: readonly string[]): Found | null {
  const first = words.findIndex((word) => !GENERIC.has(word) || /\d/.test(word))
  const kept = words.slice(/\d/.test(words[0] ?? '') ? 0 : firstOfName(words, first))
  if (first < 0 || kept.some((word) => PLAN_WORDS.has(word))) return null
  const name = nameOf(kept)
  if (name === '') return null
  const isForm = LEGAL_FORMS.has(kept.at(-1)!)
  if (kept.some((word) => TRUST_WORDS.has(word)) && !isForm) return { name, kind: 'trust' }
  if (isForm || kept.some((word) => ENTITY_WORDS.has(word))) return { name, kind: 'entity' }
  const isNamed = kept.length > 1 && kept.length <= 6 && !/\d/.test(name)
  return isNamed ? { name, kind: 'person' } : null
}

/** A generic word begins a name only where it is not joined to it: `General Atlantic`, but not `Units of Accel`. */
function firstOfName(words: readonly string[], first: number): number {
  return words[first - 1] === 'OF' ? first : Math.max(0, words[0] === 'THE' ? 1 : 0)
}
