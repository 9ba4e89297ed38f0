// The titles of CEOs and CFOs, recognized word by word, never by substring. Words before the office can negate it
// (former, deputy, assistant to), and a name after it means that it is held in another company, a region or a division.
// Titles are free text of 30 characters, often cut, so the words of other roles are listed and everything else is a
// name.
import { wordSet } from '../shared/word-set.ts'

/**
 * Recognizes `Chief Executive Officer`, `CEO`, `Principal Executive Officer`, `PEO` of the issuer, also as co-, interim
 * or acting.
 */
export function isCeo(title: string, issuerName: string): boolean {
  return holdsOffice(title, issuerName, CEO)
}

/**
 * Recognizes `Chief Financial Officer`, `CFO`, `Principal Financial Officer`, `PFO` of the issuer, also as co-, interim
 * or acting.
 */
export function isCfo(title: string, issuerName: string): boolean {
  return holdsOffice(title, issuerName, CFO)
}

interface Office {
  short: readonly string[]
  /** What is left of the short form at the end of a title that fills its 30 characters. */
  cutShort: string
  /** The word after `chief` or `principal`; bare `exe` and `fin` are cut off or abbreviated. */
  adjective: RegExp
  /** What is left of it at the end of a title that fills its 30 characters. */
  cutAdjective: string
  /** Of these the holder has charge besides; for another office they would be divisions. */
  departments: ReadonlySet<string>
}

/** `Chief` and `principal` as they are mistyped and abbreviated. */
const CHIEF = wordSet('chief cheif chf chif cief chieff cheief cheff chef')
const PRINCIPAL = wordSet('principal principle pricipal prin princ')

const FORMER = wordSet(`
  former formerly past prior previous previously retired retiring resigned outgoing departing longer
  emeritus`)
const NOT_THE_CHIEF = wordSet(`
  deputy assistant asst associate assoc vice junior incoming designate subsidiary division divisional regional
  segment sector branch unit`)
/** May stand between `deputy` and the office without changing anything. */
const TRANSPARENT = wordSet('co interim acting the our its his her current group global worldwide corporate')
const FILLERS = wordSet('of the for at a an our in its as on to with by is also who that')
/**
 * Say nothing about whose office it is; the general partner runs a partnership, and `worldwide` is the whole company.
 */
const NEUTRAL = wordSet(`
  issuer company registrant corporation firm parent group global worldwide corporate enterprise reporting person
  general partner managing member gp see remarks remark footnote footnotes below above note exhibit duly authorized
  effective eff since from commencing beginning starting date dated january february march april may june july
  august september october november december jan feb mar apr jun jul aug sept sep oct nov dec shareholder
  stockholder more than percent class finance accounting treasury tax administration admin legal compliance`)
const CFO_DEPARTMENTS = wordSet(`
  strategy operations ops investor relations development risk planning hr human resources it`)
const CEO: Office = {
  ...{ short: ['ceo', 'peo'], cutShort: 'ce', adjective: /^exe(c|$)/, cutAdjective: 'ex' },
  departments: new Set(),
}
const CFO: Office = {
  ...{ short: ['cfo', 'pfo'], cutShort: 'cf', adjective: /^fin(a|$)/, cutAdjective: 'fi' },
  departments: CFO_DEPARTMENTS,
}

const ROLES = wordSet(`
  cob chairman chairwoman chairperson chair chmn chm vice president pres vp executive exec senior sr chief officer
  off ofcr ofc secretary secy sec corp treasurer treas director directors dir trustee founder cofounder founding
  owner member board bd general counsel gc controller comptroller partner principal acting interim co operating
  financial investment accounting sole employee deputy assistant asst non independent peo pfo pao observer nominee
  presiding interested inside committee audit compensation nominating governance`)
/** Roles that take a name of their own: in `CFO and EVP, Europe` the name is the EVP's. */
const SHIELDS = wordSet('vp evp svp avp head lead manager md')
/** Make an office one of a subsidiary, or one not held now, whatever name stands beside them. */
const NOT_HERE = wordSet('subsidiary subsidiaries subsid sub subs elect designate until thru')
const LEGAL_FORMS = wordSet(`
  inc incorporated corp corporation co company companies llc ltd limited lp llp plc sa nv ag gp`)
/** Too common to tie a name to the issuer alone; they do where the issuer's name holds all words of it. */
const COMMON = wordSet(`
  group holding holdings international intl bank financial services north south east west northern southern eastern
  western central america americas american na us usa uk eu europe european emea mea apac asia pacific latam latin
  canada china japan india mexico brazil africa middle australia germany france domestic region national states
  united the of and for`)

function holdsOffice(title: string, issuerName: string, office: Office): boolean {
  const tokens = tokensOf(title)
  const length = title.trim().length
  const cutOff = length >= 28
  // A longer one comes from the remarks or a footnote, and is complete.
  return officesIn(tokens, office, cutOff && length <= 30).some(
    ({ start, end }) =>
      !isTakenAway(tokens.slice(0, start), issuerName) &&
      staysWithIssuer(tokens.slice(end), issuerName, office.departments, cutOff),
  )
}

/** Splits into lower-case words and separators. Dots vanish (`C.E.O.`, `Exec. VP`), hyphens separate (`Co-CEO`). */
function tokensOf(title: string): string[] {
  const plain = title
    .toLowerCase()
    .replace(/’/g, "'")
    .replace(/[–—]/g, '-')
    .replace(/(?<!\p{L})(\p{L})\.(?=\p{L}(?!\p{L}))/gu, '$1')
  return (plain.match(/[\p{L}\p{N}%']+|[,;/()&+:|-]/gu) ?? []).map((token) =>
    token === 'and' ? '&' : CHIEF.has(token) ? 'chief' : PRINCIPAL.has(token) ? 'principal' : token,
  )
}

function isSeparator(token: string): boolean {
  return /^[,;/()&+:|-]$/.test(token)
}

/** Finds every mention of the office: its first token and the first one after it. */
function officesIn(tokens: string[], office: Office, cutOff: boolean): { start: number; end: number }[] {
  const isCut = (at: number, rest: string) => cutOff && at === tokens.length - 1 && tokens[at] === rest
  return tokens.flatMap((token, start) => {
    const isShort = office.short.includes(token) || isCut(start, office.cutShort)
    if (isShort) return [{ start, end: start + 1 }]
    if (token !== 'chief' && token !== 'principal') return []
    const end = isCut(start + 1, office.cutAdjective) ? start + 2 : endOfPhrase(tokens, start, office.adjective)
    return end === null ? [] : [{ start, end }]
  })
}

/**
 * Finds the end of `chief financial, strategy and services officer`: the adjective comes first, or anywhere in a row
 * that ends with `officer`.
 */
function endOfPhrase(tokens: string[], start: number, adjective: RegExp): number | null {
  const direct = adjective.test(tokens[start + 1] ?? '')
  let seen = direct
  for (const [gap, token] of tokens.slice(start + 1, start + 9).entries()) {
    if (/^(officer|offic|offi|off|ofcr|ofc)$/.test(token)) return seen ? start + gap + 2 : null
    if (/^(chief|principal|president|vice|director|chairman|secretary|treasurer|[/();:-])$/.test(token)) break
    seen ||= adjective.test(token)
  }
  return direct ? start + 2 : null
}

/**
 * Checks the words before for former offices, deputies, people who work for the chief, chiefs of a region or a bank.
 */
function isTakenAway(before: string[], issuerName: string): boolean {
  if (isPast(before.slice(Math.max(before.lastIndexOf(';'), before.lastIndexOf(')')) + 1))) return true
  const skipped = (word: string | undefined): boolean => word !== undefined && TRANSPARENT.has(word)
  let at = before.length - 1
  while (skipped(before[at]) || (before[at] === '-' && skipped(before[at - 1]))) at -= 1
  const [word, wordBefore] = [before[at] ?? '', before[at - 1] ?? '']
  if (NOT_THE_CHIEF.has(word)) return true
  if (word === 'of') return !/^(position|role|title|capacity)$/.test(wordBefore)
  if (word === 'to' || word === 'for') return !/^(appointed|promoted|elevated|named)$/.test(wordBefore)
  const segment = before.slice(before.lastIndexOf(',') + 1)
  if (segment.some((one, index) => one === 'office' && segment[index + 1] === 'of')) return true
  return COMMON.has(word) && !belongsToIssuer([word], issuerName)
}

/**
 * Checks for a former office, which covers those listed after it (`Former Chairman and CEO`), up to a `now` or
 * `current`.
 */
function isPast(before: string[]): boolean {
  const last = before.findLastIndex(
    (word, at) =>
      FORMER.has(word) ||
      // `Ex VP` is an executive one, `ex-CEO` is not.
      (word === 'ex' && (before[at + 1] === '-' || at === before.length - 1)),
  )
  return last >= 0 && !before.slice(last).some((word) => /^(now|current|currently)$/.test(word))
}

/** Reads on after the office: other roles and neutral words are skipped, the first name decides. */
function staysWithIssuer(
  after: string[],
  issuerName: string,
  departments: ReadonlySet<string>,
  cutOff: boolean,
): boolean {
  const segments = segmentsOf(after)
  for (const [index, segment] of segments.entries()) {
    // `CEO (former)` no longer is one, `CEO, former CFO` is.
    if (segment.some((word) => FORMER.has(word)) && segment.some(isRole)) continue
    if (segment.some((word) => FORMER.has(word) || NOT_HERE.has(word))) return false
    if (segment.some((word) => SHIELDS.has(word))) return true
    if (segment.includes('vice') && segment.includes('president')) return true
    const name = segment.filter(
      (word, at) =>
        !FILLERS.has(word) &&
        !NEUTRAL.has(word) &&
        !departments.has(word) &&
        !/^[\d%]+$/.test(word) &&
        !isRole(word) &&
        !isClassOfDirectors(segment, at) &&
        !isInChiefTitle(segment, at),
    )
    const last = cutOff && index === segments.length - 1 ? segment.at(-1) : undefined
    if (last !== undefined && last === name.at(-1) && (isCutWord(last) || isCutChief(after))) name.pop()
    if (name.length > 0) return belongsToIssuer(name, issuerName)
  }
  return true
}

function segmentsOf(tokens: string[]): string[][] {
  const segments: string[][] = [[]]
  for (const token of tokens) {
    if (isSeparator(token)) segments.push([])
    else segments.at(-1)?.push(token)
  }
  return segments.filter((segment) => segment.length > 0)
}

function isRole(word: string): boolean {
  return ROLES.has(word) || /^c[a-z]{1,3}o$/.test(word)
}

/** Finds `I` in `Class I Director`, `Director (Class I)`. */
function isClassOfDirectors(segment: string[], at: number): boolean {
  return segment[at - 1] === 'class' && /^(?:i{1,3}|iv|[a-d])$/.test(segment[at]!)
}

/** Finds `technology` in `chief technology officer`, or in `legal & technology officer` after the separator. */
function isInChiefTitle(segment: string[], at: number): boolean {
  const before = segment.slice(0, at)
  return (before.includes('chief') && !before.includes('officer')) || segment.indexOf('officer', at + 1) > 0
}

/** Checks the last word of a title that fills its 30 characters, which may be the beginning of a role or filler. */
function isCutWord(word: string): boolean {
  return [...ROLES, ...FILLERS, ...SHIELDS, 'board'].some((known) => known.startsWith(word))
}

/** Recognizes `and CF`, cut from `and CFO`; after another word than `and` the letters may be a country. */
function isCutChief(tokens: string[]): boolean {
  return /^c[a-z]$/.test(tokens.at(-1) ?? '') && /^[&/]$/.test(tokens.at(-2) ?? '')
}

/**
 * Checks whether the name shares a word with the issuer's, or abbreviates it: letters in order, first letter first
 * (UHG, UnitedHealth Group).
 */
function belongsToIssuer(name: string[], issuerName: string): boolean {
  const issuer = tokensOf(issuerName).filter((token) => !isSeparator(token) && !LEGAL_FORMS.has(token))
  const words = name.filter((word) => !LEGAL_FORMS.has(word))
  if (words.length === 0) return false
  if (words.some((word) => !COMMON.has(word) && issuer.includes(word))) return true
  if (words.every((word) => issuer.includes(word))) return true
  const [short] = words
  if (words.length !== 1 || short === undefined || COMMON.has(short) || !/^[a-z]{2,6}$/.test(short)) return false
  return short[0] === issuer[0]?.[0] && isSubsequence(short, issuer.join(''))
}

function isSubsequence(letters: string, text: string): boolean {
  let from = 0
  for (const letter of letters) {
    from = text.indexOf(letter, from) + 1
    if (from === 0) return false
  }
  return true
}
