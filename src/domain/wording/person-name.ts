// Names of owners for sentences and tables. EDGAR writes people `LAST FIRST MIDDLE SUFFIX`, mostly in capitals, and
// companies as they are called; only the words show which of the two it is.
import { wordSet } from '../shared/word-set.ts'
import { capitalAfterMc, isCapitals, properCase } from './letter-case.ts'

/** A name with one of these, anywhere, is not a person's. */
const ENTITY_WORDS = wordSet(`
  acquisition advisers advisor advisors aggregator asset assets associates association bancorp bancshares capital
  charitable co-invest college committee company corp corporation endowment enterprise enterprises equity esop
  estate family fbo fdn financial foundation fund funds gmbh government gp group growth holdco holding holdings inc
  incorporated insurance interests international invest investment investments investor investors irrevocable
  limited liability limited llc lllp llp lp ltd management ministry offshore opportunities opportunity partner
  partners partnership pension plan plc properties pte pty realty regents revocable sarl savings securities
  settlement spv sponsor strategic subsidiary technologies technology trading trust trustee trustees trusts
  university venture ventures vcoc`)
/** Legal forms that are initials or surnames too, and so indicate a company only in the last place. */
const LAST_ENTITY_WORDS = wordSet('ab ag as bank bv co kg nv oy sa se spa')
const SUFFIXES: Readonly<Record<string, string>> = {
  jr: 'Jr.',
  sr: 'Sr.',
  ii: 'II',
  iii: 'III',
  iv: 'IV',
  v: 'V',
  vi: 'VI',
  '2nd': 'II',
  '3rd': 'III',
}
/** Omitted: the sentence has the role. */
const TITLES = wordSet('dr mr mrs ms md phd esq cpa cfa')
/** Part of the surname that follows. Capitals hide how a family writes them: these are mostly small, */
const SMALL_PARTICLES = wordSet('von van vom zu zum zur de den der des ten ter af av dos das')
/** and these mostly large. */
const LARGE_PARTICLES = wordSet('da di du del della la le los las el al bin ibn san santa st mac mc o d')
/**
 * Given names that are hardly ever surnames: where one stands first and none behind it, the filer wrote the name in
 * reading order against the form's instructions.
 */
const GIVEN = wordSet(`
  abigail adrienne alexandra amanda brenda brian carolyn catherine cheryl christina christine christopher cynthia
  daniela deborah debra denise diana diane elizabeth emily jacqueline jeffrey jennifer jessica joanne jonathan joshua
  judith julie karen katherine kathleen kathryn kenneth kevin kimberly kristen kristin laura linda margaret marilyn
  matthew megan melissa michelle nancy natalie nicole pamela patricia rachel rebecca ronald samantha sandra sergey
  sharon stephanie steven susan suzanne teresa theresa timothy valerie vanessa veronica victoria virginia vladimir
  wendy zachary`)

/** No sentence has room for more, and text from filers must not take long. */
const LONGEST = 300

/**
 * Converts `HEMSLEY STEPHEN J` to `Stephen J. Hemsley`; `Sergey Brin` stays in its order, and names of companies,
 * trusts and partnerships as filed.
 */
export function readableName(filed: string): string {
  const name = filed.slice(0, LONGEST).replace(/\s+/g, ' ').trim()
  if (isEntity(name) || !/\p{L}/u.test(name)) return name
  const { surname, given, suffix } = partsOf(name.replace(/(?<=.)\s*[/\\].*$/, ''))
  if (given.length === 0) return [...surname, ...suffix].join(' ') || name
  return [...shortGiven(given), ...surname, ...suffix].join(' ')
}

function isEntity(name: string): boolean {
  if (/[\d&]|\b(?:of|the|and|for|under|dated)\b/i.test(name)) return true
  if (/\b(?:l\.? ?l\.? ?c|l\.? ?p|a\/s|s\.a|n\.v)\b\.?(?:\s*[/\\].*)?$/i.test(name)) return true
  const words = name
    .toLowerCase()
    .replace(/\s*[/\\][a-z]{2,4}[/\\]?$/, '')
    .split(/[\s,()/]+/)
    .map(bare)
    .filter(Boolean)
  return words.some((word) => ENTITY_WORDS.has(word)) || (words.length > 1 && LAST_ENTITY_WORDS.has(words.at(-1)!))
}

const bare = (word: string): string => word.toLowerCase().replace(/[.,]/g, '')

function partsOf(name: string): { surname: string[]; given: string[]; suffix: string[] } {
  const words = name.split(/[\s,]+/).filter((word) => word !== '' && !TITLES.has(bare(word)))
  const isSuffix = (word: string, at: number) =>
    at > 0 && words.length > 2 && SUFFIXES[bare(word)] !== undefined && !isInitialV(words, at)
  const suffix = words.filter(isSuffix).map((word) => SUFFIXES[bare(word)]!)
  const plain = words.filter((word, at) => !isSuffix(word, at))
  const beforeComma = surnameBeforeComma(name)
  if (beforeComma === 0 && isInReadingOrder(plain)) {
    return { given: plain.slice(0, -1).map(inCase), surname: [inCase(plain.at(-1)!)], suffix }
  }
  const length = beforeComma || surnameLength(plain)
  return { surname: surnameOf(plain.slice(0, length)), given: plain.slice(length).map(inCase), suffix }
}

/**
 * Counts the words that `Smith Jones, Ann` has before the comma, suffixes not counted; 0 without given names after it.
 */
function surnameBeforeComma(name: string): number {
  const isExtra = (word: string) => SUFFIXES[bare(word)] !== undefined || TITLES.has(bare(word))
  const parts = name.split(',').map((part) =>
    part
      .trim()
      .split(' ')
      .filter((word) => word && !isExtra(word)),
  )
  const [before = [], ...after] = parts
  return after.some((words) => words.length > 0) ? before.length : 0
}

/** Recognizes `V` as an initial, except at the end of four words or more: `SMITH JOHN V`, `SMITH JOHN A V`. */
function isInitialV(words: readonly string[], at: number): boolean {
  return bare(words[at]!) === 'v' && (at < words.length - 1 || words.length < 4)
}

/** Counts the particles and the word after them, as long as a given name is left that is more than an initial. */
function surnameLength(words: readonly string[]): number {
  let length = 1
  while (isParticle(words[length - 1]) && words.slice(length + 1).some((word) => bare(word).length > 1)) length += 1
  return length
}

const isParticle = (word = ''): boolean => SMALL_PARTICLES.has(bare(word)) || LARGE_PARTICLES.has(bare(word))

/**
 * Recognizes `Sergey Brin`, `Timothy D. Cook` by the given name, `Sean O'BRIEN` by the capitals; a name all in capitals
 * is in EDGAR's order.
 */
function isInReadingOrder(words: readonly string[]): boolean {
  const [first, ...others] = words
  const last = others.at(-1)
  if (last === undefined || isCapitals(first!)) return false
  const isLower = (word: string) => /\p{Ll}/u.test(word) || bare(word).length === 1
  if (isCapitals(last) && bare(last).length > 3 && [first!, ...others.slice(0, -1)].every(isLower)) return true
  return GIVEN.has(bare(first!)) && bare(last).length > 1 && !others.some((word) => GIVEN.has(bare(word)))
}

/** Converts `O BRIEN` to `O'Brien`, `MC DONALD` to `McDonald`, `DE LA CRUZ` to `de la Cruz`. */
function surnameOf(words: readonly string[]): string[] {
  const [first = '', ...others] = words
  const joined = JOINED[bare(first)]
  if (others.length > 0 && joined) return [joined + inCase(others[0]!), ...others.slice(1).map(inCase)]
  const isSmall = SMALL_PARTICLES.has(bare(first))
  const isLower = (word: string, at: number) => isSmall && at < words.length - 1 && isCapitals(word)
  return words.map((word, at) => (isLower(word, at) ? word.toLowerCase() : inCase(word)))
}

const JOINED: Readonly<Record<string, string>> = { o: "O'", d: "D'", mc: 'Mc' }

/** Keeps in full the name that a person goes by, all further ones as initials: `E. Scott`, `Timothy P.` */
function shortGiven(given: readonly string[]): string[] {
  const full = given.findIndex((name) => bare(name).length > 1)
  const isFull = (name: string, at: number) => bare(name).length > 1 && (at <= full || isParticle(name))
  return given.map((name, at) => (isFull(name, at) ? name : initial(name)))
}

const initial = (name: string): string => `${name.charAt(0).toUpperCase()}.`

function inCase(word: string): string {
  if (!isCapitals(word) || bare(word).length < 2) return word
  return capitalAfterMc(properCase(word))
}
