// Names of those through whom rows are held and of owners, in a form in which they can be compared: EDGAR conforms the
// names of owners (`EXAMPLE JOHN`, `SAMPLE FUND II LP`), while natures and footnotes are free text.
import { wordSet } from '../shared/word-set.ts'

const LONGEST_NAME = 60

/** Taken off the end of a name. */
export const LEGAL_FORMS = wordSet(`
  AB AG AS BV CO COMPANY CORP CORPORATION GMBH INC INCORPORATED KG LC LIMITED LLC LLLP LLP LP LTD NV PC PLC PLLC PTE
  PTY SA SARL SCA SCSP SE SPA ULC
`)
export const TRUST_WORDS = wordSet(`
  CRT CRUT ESTATE GRAT GRATS SLAT TR TRUST TRUSTEE TRUSTEES TRUSTS TTEE TTEES UNITRUST`)
export const PLAN_WORDS = wordSet(`
  401 401K 403B 409A CUSTODIAL CUSTODIAN DEFERRED ESOP ESPP GRANTED IRA IRAS KEOGH KSOP PENSION PLAN PLANS PROFIT
  PUTMA RETIREMENT ROTH RSU RSUS SEP SERP UGMA UNVESTED UTMA
`)
export const CHILD_WORDS = wordSet(`
  BROTHER CHILD CHILDREN CHILDRENS CHILDS DAUGHTER DAUGHTERS FATHER GRANDCHILD GRANDCHILDREN GRANDSON IMMEDIATE MINOR
  MINORS MOTHER NEPHEW NIECE PARENTS SISTER SON SONS
`)
export const SPOUSE_WORDS = wordSet('SPOUSE SPOUSES HUSBAND HUSBANDS WIFE WIFES')
/** A name with one of these is not a person's. */
export const ENTITY_WORDS = wordSet(`
  ACQUISITION ADVISERS ADVISORS AGGREGATOR ASSET ASSETS ASSOCIATES BANCORP BANK CAPITAL CHURCH ENDOWMENT ENTERPRISES
  EQUITY FOUNDATION FUND FUNDS GP GROUP HOLDCO HOLDING HOLDINGS INTERNATIONAL INVESTMENT INVESTMENTS INVESTOR
  INVESTORS MANAGEMENT OPPORTUNITIES PARTNERS PARTNERSHIP PROPERTIES REALTY REGENTS SPONSOR SPV UNIVERSITY VENTURE
  VENTURES
`)
/** A name of these alone names no one. */
export const GENERIC = new Set([
  ...LEGAL_FORMS,
  ...TRUST_WORDS,
  ...PLAN_WORDS,
  ...CHILD_WORDS,
  ...SPOUSE_WORDS,
  ...wordSet(`
  A ACCOUNT ACCOUNTS ADVISER ADVISERS ADVISOR ADVISORS AFFILIATE AFFILIATES ALL AN AND ANNUITY AS AT ATTACHED AWARD
  BELOW BENEFICIARY BENEFIT BOTH BROKERAGE BUSINESS BY CAREER CERTAIN CHARITABLE COMMON COMPENSATION CONSISTS CONTROL
  CONTROLLED CORPORATE DATED DECLARATION DIRECT DIRECTLY DIRECTOR DOMESTIC DTD DYNASTY EACH EMPLOYEE ENTITIES ENTITY
  EXEMPT EXHIBIT EXPLANATION FAMILY FBO FN FOONOTE FOOTNOTE FOOTNOTES FOR FOUNDER FROM FUND FUNDS GENERAL GIFT GP
  GRANTOR GST HELD HER HIS HOLDER HOLDING HOLDINGS I IN INDIRECT INDIRECTLY INDIVIDUAL INTEREST INTERESTS INVESTMENT
  INVESTMENTS IRR IRREV IRREVOCABLE ISSUER ISSUERS IT ITS JOINT JOINTLY LIABILITY LIVING MANAGED MANAGER MANAGING
  MARITAL MEMBER MEMBERS NON NOTE NOTES OF ON OR OTHER OWN OWNED OWNER OWNERS PARENT PARTNER PARTNERS PARTNERSHIP
  PARTNERSHIPS PERSON PERSONAL PERSONS PLEASE PROPORTIONATE PURCHASE PURSUANT QUALIFIED RABBI RECORD REFER REMAINDER
  REMARKS REPORTING REPRESENTS RESIDUARY RESPONSES RESTRICTED RETAINED REV REVOCABLE SAVINGS SECURITIES SEE SELF
  SERVES SHARES SOLE SPONSOR SPOUSAL STOCK SUBSIDIARIES SUBSIDIARY TENANTS THAT THE THEIR THESE THIS THOSE THROUGH TO
  UA UAD UNDER UNIT UNITS UTA VARIOUS VIA VOTING WHICH WHOLLY WITH
`),
])
/** Where an entity of one of these forms is meant, though not which. */
export const NAMELESS = wordSet(`
  COMPANY CORP CORPORATION ENTITIES ENTITY FOUNDATION FUND FUNDS GP LLC LLP LP PARTNERSHIP PARTNERSHIPS`)
export const TITLES = wordSet('DR MR MRS MS MISS MESSRS PROF PROFESSOR SIR HON')
export const SUFFIXES = wordSet('JR SR II III IV V VI PHD MD ESQ')
/** Part of the surname that follows; those of JOINED are written as one word with it. */
export const PARTICLES = wordSet(`
  AF AL AV BIN DA DE DEL DELLA DEN DER DES DI DU EL IBN LA LAS LE LOS SAN SANTA ST TEN TER VAN VOM VON ZU ZUR
`)
export const JOINED = wordSet('O D MC MAC')

/** Returns the words of a text in capitals, without punctuation: `L.P.` is LP, `J&J` is J AND J. */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[.'’`\p{M}]/gu, '')
    .replaceAll('&AMP;', '&')
    .replaceAll('&', ' AND ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replaceAll(/\b401 ?K\b/g, '401K')
    .replace(/\bL L C$/, 'LLC')
    .replace(/\bL P$/, 'LP')
  return plain === '' ? [] : plain.split(' ')
}

/** Returns the name without legal form; '' if only generic words are left. */
export function nameOf(words: readonly string[]): string {
  let to = words.length
  for (; to > 0; to -= 1) {
    const [before, last] = [words[to - 2], words[to - 1]!]
    const isForm = LEGAL_FORMS.has(last) || last === 'AND'
    if (!isForm && !((last === 'PARTNERSHIP' || last === 'LIABILITY') && before === 'LIMITED')) break
  }
  const name = words.slice(words[0] === 'THE' ? 1 : 0, to)
  return name.some(isProper) ? name.join(' ').slice(0, LONGEST_NAME).trim() : ''
}

const isProper = (word: string): boolean =>
  word.length > 1 && !GENERIC.has(word) && /\p{L}/u.test(word) && !/^(?:[IVX]+|FOO.*|(?:19|20)\d\d.*)$/.test(word)

/** Marks names that are only spoken of; they say nothing but that the owner they name is meant. */
export const MENTION = '~'

/** Returns what the names of owners and those of `keysOfNames` have in common if an owner is named. */
export function keysOfOwners(names: readonly string[]): Set<string> {
  return new Set(names.slice(0, MOST_OWNERS).flatMap(ownerKeys))
}

/** EDGAR takes ten owners in a filing. */
const MOST_OWNERS = 20

/** Returns the keys under which owners are found whom these names of a row name. */
export function keysOfNames(holderNames: readonly string[]): Set<string> {
  return new Set(holderNames.flatMap((name) => mentionKeys(name.startsWith(MENTION) ? name.slice(1) : name)))
}

/** Returns those keys that are of persons, who share them with their namesakes. */
export function keysOfPersons(keys: ReadonlySet<string>): Set<string> {
  return new Set([...keys].filter((key) => key.includes(',')))
}

/** What EDGAR adds to some names: `/MN`, `/DE/`, `/ADV`. */
const REGISTRATION = /\s*[/\\][A-Z]{2,4}[/\\]?\s*$/i

function ownerKeys(owner: string): string[] {
  const words = wordsOf(owner.slice(0, LONGEST_OWNER).replace(REGISTRATION, ''))
  const name = nameOf(words)
  const keys = name === '' ? [] : [name]
  if (words.length < 2 || isEntity(words)) return keys
  const plain = words.filter((word, at) => at === 0 || !SUFFIXES.has(word))
  let surname = 0
  while (PARTICLES.has(plain[surname]!) && surname < plain.length - 2) surname += 1
  keys.push(...personKeys(plain[surname]!, plain.slice(surname + 1)))
  if (JOINED.has(plain[0]!) && plain.length > 2) keys.push(...personKeys(plain[0]! + plain[1]!, plain.slice(2)))
  // Some owners are registered in reading order: `Sergey Brin`.
  if (owner !== owner.toUpperCase()) keys.push(...personKeys(plain.at(-1)!, plain.slice(0, -1)))
  return keys
}

/** Longer than any that EDGAR keeps. */
const LONGEST_OWNER = 200

export const isEntity = (words: readonly string[]): boolean =>
  LEGAL_FORMS.has(words.at(-1)!) || words.some((word) => ENTITY_WORDS.has(word) || TRUST_WORDS.has(word))

/**
 * A person is named by the surname with a title, given name or initial. An initial stands for a name (`=`) or for
 * the same initial (`.`).
 */
function personKeys(surname: string, given: readonly string[]): string[] {
  return [
    `${surname},*`,
    ...given.flatMap((name) =>
      name.length === 1 ? [`${surname},${name}.`] : [`${surname},${name}`, `${surname},${name.charAt(0)}=`],
    ),
  ]
}

function mentionKeys(name: string): string[] {
  const words = name.split(' ')
  if (isEntity(words)) return [name]
  const plain = words.filter((word, at) => at === 0 || !SUFFIXES.has(word))
  const surname = plain.at(-1)!
  const given = plain.slice(0, -1).filter((word) => !TITLES.has(word) && !PARTICLES.has(word))
  if (plain.length > 1 && given.length === 0 && TITLES.has(plain[0]!)) return [name, `${surname},*`]
  return [
    name,
    ...given.flatMap((word) =>
      word.length === 1
        ? [`${surname},${word}.`, `${surname},${word}=`]
        : [`${surname},${word}`, `${surname},${word.charAt(0)}.`],
    ),
  ]
}
