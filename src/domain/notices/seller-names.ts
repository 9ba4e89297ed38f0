// Matches names of sellers in notices (`Timothy D. Cook`) with names of owners as EDGAR conforms them (`COOK TIMOTHY
// D`). The order of a typed name is unknown, so both orders are tried. A match counts only if one owner of the issuer
// fits.
import { append } from '../shared/append.ts'
import type { Cik } from '../shared/identifiers.ts'
import { wordSet } from '../shared/word-set.ts'
import { isEntity, JOINED, nameOf, PARTICLES, SUFFIXES, TITLES, wordsOf } from '../trades/holder-names.ts'

interface Reading {
  surname: string
  given: string
  /** The names after the first given one. */
  middle: string[]
}

interface PersonName {
  suffix: string | null
  /** As EDGAR conforms names: the surname first. */
  conformed: Reading
  /** In the order in which names are spoken. */
  natural: Reading
}

/** Given names, each followed by its short forms. */
const SHORT_FORMS = `
  ABRAHAM ABE|ALBERT AL BERT|ALEXANDER ALEX ALEC SANDY|ALFRED AL FRED|ANDREW ANDY DREW|ANTHONY TONY|ARTHUR ART
  BARBARA BARB|BENJAMIN BEN|BERNARD BERNIE|CATHERINE CATHY KATHY KATE|CHARLES CHUCK CHARLIE|CHRISTOPHER CHRIS
  CHRISTINE CHRIS TINA|CLIFFORD CLIFF|CYNTHIA CINDY|DANIEL DAN DANNY|DAVID DAVE|DEBORAH DEBRA DEB DEBBIE|DENNIS DENNY
  DONALD DON|DOUGLAS DOUG|EDWARD ED EDDIE TED|ELIZABETH LIZ BETH BETSY|EUGENE GENE|FRANCIS FRANK|FREDERICK FRED
  GABRIEL GABE|GEOFFREY GEOFF|GERALD GERRY JERRY|GREGORY GREG|HAROLD HAL HARRY|HENRY HANK HARRY|JACOB JAKE
  JAMES JIM JIMMY JAMIE|JEFFREY JEFF|JEFFERY JEFF|JENNIFER JEN JENNY|JEROME JERRY|JOHN JACK JOHNNY|JONATHAN JON
  JOSEPH JOE|JOSHUA JOSH|JUDITH JUDY|KATHERINE KATHY KATE KATIE|KATHLEEN KATHY|KENNETH KEN KENNY|KIMBERLY KIM
  LAWRENCE LARRY|LAURENCE LARRY|LEONARD LEN LENNY|LEWIS LOU|LOUIS LOU|MARGARET MAGGIE MEG PEGGY|MATTHEW MATT
  MICHAEL MIKE|MITCHELL MITCH|NATHAN NATE|NATHANIEL NATE NAT|NICHOLAS NICK|NICOLAS NICK|NORMAN NORM|PAMELA PAM
  PATRICIA PAT PATTY|PATRICK PAT|PETER PETE|PHILIP PHIL|PHILLIP PHIL|RANDALL RANDY|RAYMOND RAY|REBECCA BECKY
  RICHARD RICK DICK RICH|ROBERT ROB BOB BOBBY|RODNEY ROD|ROGER ROG|RONALD RON|RUSSELL RUSS|SAMANTHA SAM|SAMUEL SAM
  SANDRA SANDY|STANLEY STAN|STEPHANIE STEPH|STEPHEN STEVE|STEVEN STEVE|SUSAN SUE SUSIE|TERENCE TERRY|TERRANCE TERRY
  THEODORE TED TEDDY|THOMAS TOM TOMMY|TIMOTHY TIM|VICTORIA VICKY|VINCENT VINCE VINNY|WALTER WALT|WILLIAM WILL BILL
  ZACHARY ZACH`
const FULL_OF = fullNames()

function fullNames(): Map<string, Set<string>> {
  const full = new Map<string, Set<string>>()
  for (const line of SHORT_FORMS.split(/[|\n]/)) {
    const [name, ...short] = [...wordSet(line)]
    for (const each of short) full.set(each, (full.get(each) ?? new Set()).add(name!))
  }
  return full
}

/** Names are cut to this length, longer than any in EDGAR. */
const LONGEST = 200
/** Academic degrees and the like that SUFFIXES lacks. */
const DEGREES = wordSet('CPA CFA DDS DVM JD MBA')
const LINEAGE = wordSet('JR SR II III IV V VI')

/** Returns the name without a suffix that EDGAR adds, such as `/MD/`. */
function plainName(name: string): string {
  return name.slice(0, LONGEST).replace(/[/\\][A-Za-z]{2,4}[/\\]?\s*$/, '')
}

/** Returns the name of a company, fund or trust without its legal form; null for the name of a person. */
export function entityName(name: string): string | null {
  const words = wordsOf(plainName(name))
  return isEntity(words) ? nameOf(words) || null : null
}

/** Returns both readings of a person's name; null for the name of an entity or a single word. */
function personName(name: string): PersonName | null {
  const all = wordsOf(plainName(name).replace(/(?<=\p{L})-(?=\p{L})/gu, ''))
  if (isEntity(all)) return null
  const words = all.filter(
    (word, at) => !(at > 0 && (SUFFIXES.has(word) || DEGREES.has(word))) && !(TITLES.has(word) && all.length > 2),
  )
  const suffix = all.filter((word, at) => at > 1 && LINEAGE.has(word)).at(-1) ?? null
  return words.length < 2 ? null : { suffix, conformed: conformed(words), natural: natural(words) }
}

function conformed(words: readonly string[]): Reading {
  let at = 0
  while (at < words.length - 2 && (PARTICLES.has(words[at]!) || JOINED.has(words[at]!))) at += 1
  const [given, ...middle] = words.slice(at + 1)
  return { surname: words.slice(0, at + 1).join(''), given: given!, middle }
}

function natural(words: readonly string[]): Reading {
  let at = words.length - 1
  // An O or a D here is an initial.
  while (at > 1 && (PARTICLES.has(words[at - 1]!) || /^MA?C$/.test(words[at - 1]!))) at -= 1
  const [given, ...middle] = words.slice(0, at)
  return { surname: words.slice(at).join(''), given: given!, middle }
}

/** Returns whether both may be the name of one person. */
function areSame(one: PersonName, other: PersonName): boolean {
  if (one.suffix !== null && other.suffix !== null && one.suffix !== other.suffix) return false
  return (
    fits(one.conformed, other.conformed) ||
    fits(one.conformed, other.natural) ||
    fits(one.natural, other.conformed) ||
    // Two conformed names would agree in a surname that is a middle name: `SMITH JOHN DAVID`, `SMITH DAVID`.
    (fits(one.natural, other.natural) && [...one.natural.middle, ...other.natural.middle].every(isInitial))
  )
}

function fits(one: Reading, other: Reading): boolean {
  return (
    one.surname === other.surname &&
    one.surname.length > 1 &&
    isSameGiven(one.given, other.given) &&
    one.middle.every((word, at) => other.middle[at] === undefined || isAbbreviated(word, other.middle[at]))
  )
}

const isInitial = (word: string): boolean => word.length === 1

const isAbbreviated = (one: string, other: string): boolean =>
  one === other || (isInitial(one) && other.startsWith(one)) || (isInitial(other) && one.startsWith(other))

function isSameGiven(one: string, other: string): boolean {
  return isAbbreviated(one, other) || Boolean(FULL_OF.get(one)?.has(other)) || Boolean(FULL_OF.get(other)?.has(one))
}

/** If more owners have one surname, none is found by name. */
const MOST_NAMESAKES = 200

/** The owners of an issuer by the names of persons. */
export class OwnerNames {
  readonly #bySurname = new Map<string, { cik: Cik; name: PersonName }[]>()
  readonly #known = new Set<string>()
  readonly #found = new Map<string, Cik | null>()

  add(cik: Cik, name: string): void {
    const key = `${cik} ${name}`
    if (this.#known.has(key)) return
    this.#known.add(key)
    const person = personName(name)
    if (!person) return
    const keys = new Set([person.conformed.surname, person.natural.surname])
    for (const surname of keys) append(this.#bySurname, surname, { cik, name: person })
  }

  /** Returns the owner whom a seller's name fits; null if it fits none or several. */
  only(seller: string): Cik | null {
    const known = this.#found.get(seller)
    if (known !== undefined) return known
    const found = this.#search(seller)
    this.#found.set(seller, found)
    return found
  }

  #search(seller: string): Cik | null {
    const person = personName(seller)
    if (!person) return null
    const fitting = new Set<Cik>()
    for (const surname of new Set([person.conformed.surname, person.natural.surname])) {
      const owners = this.#bySurname.get(surname) ?? []
      if (owners.length > MOST_NAMESAKES) return null
      for (const { cik, name } of owners) if (areSame(person, name)) fitting.add(cik)
    }
    const [only, ...others] = fitting
    return only !== undefined && others.length === 0 ? only : null
  }
}

/** The date that follows the name of a trust in some filings. */
const TRUST_DATE = / (?:U ?A|U ?A ?D|U ?T ?A|DTD|DATED) .*$/

/** Returns a key that all names of one entity share. `name` has no legal form. */
export function entityKey(name: string): string {
  return `entity ${name.replace(TRUST_DATE, '')}`
}

/** Returns keys of which the names of one person share one: surname and given name, by both readings. */
export function personKeys(name: string): string[] {
  const person = personName(name)
  if (!person) return []
  return [person.conformed, person.natural]
    .filter(({ surname, given }) => surname.length > 1 && given.length > 1)
    .map(({ surname, given }) => `person ${surname},${given}`)
}
