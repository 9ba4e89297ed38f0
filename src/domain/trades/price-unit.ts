// Units of price: whether the number in a row's price is US dollars for one unit of the security in its title. The
// number may be in another currency, for another security (a depositary share), or in per cent of a principal. Only
// the title and footnotes say so, in free text; what is not understood means nothing, so the price stands as filed.
// Each footnote and each title is classified alone, and OTHER_UNIT_RULES combine the results.
import { oncePerObject } from '../shared/once-per-object.ts'
import type { Filing, Footnote, Issuer, NonDerivativeRow } from '../filings/filing.ts'
import { sentencesOf } from '../filings/trading-plan/normalize-footnote.ts'
import { hasForeignSymbol, isForeignSecurity } from './price-status.ts'

/** What a footnote says. */
const UNIT_FLAGS = [
  /** It names another currency. Where it is attached to the price that is the price's. */
  'currency',
  /** It names another currency in a sentence that speaks of the price. */
  'price_currency',
  /** The price was converted, or is in US dollars. */
  'converted',
  /** The price is that of a depositary share. */
  'per_ads',
  /** The price is that of an ordinary share, or a depositary share is one ordinary share. */
  'per_share',
  /** The shares trade on an exchange abroad. */
  'traded_abroad',
  /** The price is not that of one share but a percentage or a total. */
  'not_per_share',
] as const
export type UnitFlag = (typeof UNIT_FLAGS)[number]

/** What a title names: `ads` a depositary share, `ordinary` a share of ordinary or common stock. */
const SECURITY_KINDS = ['ordinary', 'ads', 'preferred', 'debt', 'other'] as const
export type SecurityKind = (typeof SECURITY_KINDS)[number]

interface OtherUnitRule {
  /** Kinds of titles it applies to; null for all. */
  kinds: readonly SecurityKind[] | null
  /** The flag that a footnote must have; null for none. */
  says: UnitFlag | null
  /** Where that footnote must be attached. */
  attachedTo: 'price' | 'row'
  /** A flag that none of the row's footnotes may have, wherever it is attached. */
  unless: UnitFlag | null
  /** The issuer must have a foreign symbol, which data sets don't have. */
  foreignSymbol: boolean
}

/** A price is in another unit if any of these holds. */
const OTHER_UNIT_RULES: readonly OtherUnitRule[] = [
  { kinds: null, says: 'currency', attachedTo: 'price', unless: 'converted', foreignSymbol: false },
  { kinds: null, says: 'price_currency', attachedTo: 'row', unless: 'converted', foreignSymbol: false },
  { kinds: ['ordinary'], says: 'traded_abroad', attachedTo: 'row', unless: 'converted', foreignSymbol: true },
  { kinds: ['ordinary'], says: 'per_ads', attachedTo: 'row', unless: 'per_share', foreignSymbol: false },
  { kinds: ['preferred'], says: 'not_per_share', attachedTo: 'row', unless: null, foreignSymbol: false },
  { kinds: ['debt'], says: null, attachedTo: 'row', unless: null, foreignSymbol: false },
]

type PricedRow = Pick<NonDerivativeRow, 'securityTitle' | 'footnotes'>
type Source = Pick<Filing, 'footnotes'> & { issuer: Pick<Issuer, 'foreignTickerRaw' | 'tickerRaw'> }

/** Checks whether the row's price is known not to be US dollars for one unit of its security. */
export function otherUnit(row: PricedRow, filing: Source): boolean {
  const flags = {
    price: flagsOf(row.footnotes.price, filing),
    row: flagsOf([...row.footnotes.all, ...row.footnotes.price], filing),
  }
  const kind = securityKind(row.securityTitle)
  const abroad = hasForeignSymbol(filing.issuer)
  return OTHER_UNIT_RULES.some(
    ({ kinds, says, attachedTo, unless, foreignSymbol }) =>
      (kinds === null || kinds.includes(kind)) &&
      (says === null || flags[attachedTo].has(says)) &&
      (unless === null || !flags.row.has(unless)) &&
      (abroad || !foreignSymbol),
  )
}

/** Checks whether the row is in a foreign security whose price no footnote says to be converted or in US dollars. */
export function isForeignPrice(row: PricedRow, filing: Source): boolean {
  return isForeignSecurity(row.securityTitle, filing.issuer) && !flagsOf(row.footnotes.all, filing).has('converted')
}

function flagsOf(ids: string[], { footnotes }: Source): Set<UnitFlag> {
  const attached = new Set(ids)
  return new Set(footnotes.filter(({ id }) => attached.has(id)).flatMap(readOnce))
}

/** Reads a footnote once, however many rows refer to it. */
const readOnce = oncePerObject((footnote: Footnote) => unitFlags(footnote.text))

/** Makes a pattern match letters of either case, where other parts of the whole must not. */
const anyCase = (pattern: string): string =>
  pattern.replace(/\\.|\[[^\]]*\]|[a-z]/g, (part) => (/^[a-z]$/.test(part) ? `[${part}${part.toUpperCase()}]` : part))

const DOLLARS_ABROAD =
  '(?:canadian|australian|hong ?kong|new zealand|singapore(?:an)?|(?:new )?taiwan(?:ese)?|namibian|jamaican|fijian)'
const CODES =
  'JPY|CAD|CDN|GBP|GBX|GBp|EUR|SEK|NOK|DKK|ISK|CHF|HKD|RMB|CNY|CNH|TWD|NTD|INR|BRL|ILS|NIS|AUD|NZD|' +
  'SGD|MXN|KRW|ZAR|PLN|' +
  'CZK|HUF|THB|MYR|IDR|PHP|VND|ARS|CLP'
const SIGNS = '€|£|¥|￥|₩|₹|₪|₽|฿'
const MARKED_DOLLARS =
  '(?:(?:C|CA|A|AU|HK|NT|S|SG|NZ|R|MX|Mex)|(?:CAD|CDN|Cdn|Can|AUD|HKD|NTD|SGD|NZD|MXN)(?:\\.? )?)\\$'
// `pounds of`, `won` and `real` are everyday words, so they need more beside them.
const NAMES =
  'yen|pounds?[- ]sterling|sterling pounds?|(?:british|uk|u\\.k\\.|english|irish|egyptian) pounds?|' +
  'pounds(?! of\\b)|pence|' +
  '(?<=\\b(?:in|of|per|from|into|to) )sterling|euros?|(?:norwegian |swedish |danish |icelandic ' +
  ')?kron(?:e|er|en|or|a|ur)|' +
  '(?:norwegian|swedish|danish|icelandic|czech) crowns?|(?:swiss |french )?francs?|renminbi|yuan|' +
  'rupees?|rupiahs?|reais|' +
  'brazilian reals?|shekels?|sheqels?|agorot|pesos?|(?:south )?korean won|(?<=\\d ?)won|south african rands?|' +
  '(?<=\\b(?:in|of|per) |\\d ?)rands?|z(?:l|ł)ot(?:y|ys|ych)|forints?|koruna|rou?bles?|baht|' +
  'ringgits?|dirhams?|riyals?|' +
  '(?:turkish )?liras?|dinars?|hryvnias?|naira|nuevos soles|' +
  '(?:local|foreign|canadian|british|australian|japanese|european|israeli|brazilian) currency'
const CURRENCY = new RegExp(
  `(?<![A-Za-z.])${MARKED_DOLLARS}|(?:${SIGNS})|\\b(?:${CODES})(?![A-Za-z])|` +
    '(?<=\\d)(?<!:\\d\\d)p\\b(?! ?\\.?m| [ECMP][DS]?T\\b)|' +
    '(?<=\\d )(?:Canadian|Australian|Cdn)\\b|' +
    `\\b(?:${anyCase(`${DOLLARS_ABROAD} dollars?|${NAMES}`)})(?![\\p{L}\\p{N}])`,
  'gu',
)
const ENTITY =
  '(?:L\\.? ?P\\b|LLP|L\\.?L\\.?C|L(?:td|TD|imited|IMITED)|I(?:nc|NC)|C(?:orp|ORP)|F(?:und|UND)s?|P(?:artner|ARTNER)|' +
  'C(?:apital|APITAL)|H(?:olding|OLDING)|T(?:rust|RUST)|M(?:anagement|ANAGEMENT|aster)|I(?:nvest|' +
  'NVEST)|V(?:enture|ENTURE)|' +
  'B(?:an|AN)[ck]|G(?:roup|ROUP)|C(?:ompan|OMPAN)|A(?:dvis|DVIS)|S\\.?A\\b|S\\.?C\\.?A\\b|SICAV|' +
  'SCSp|SLP|plc|PLC|GmbH|AG\\b)'
/** `Owl Fund (Euro), L.P.`, `Euro Growth Partners`: the name of an entity, not of a currency. */
const NAMED_AFTER = new RegExp(`^\\)?,?(?: [A-Z&][\\w.&'-]*){0,3}?,? ?\\(?${ENTITY}`)
const NAMED_BEFORE = new RegExp(`(?:${ENTITY}[\\w.]*,?(?: [IVX\\d]+)?|\\b(?:Mr|Mrs|Ms|Dr)\\.?) \\(?$`)
const PAR_BEFORE = /\b(?:par|nominal)(?: value)?(?: of| is|:)?,? ?(?:about |approximately )?[\d.,]* ?$/i
const PAR_AFTER = /^ ?[\d.,]*(?: each)?(?: per (?:ordinary |common )?share)?,? ?\(?(?:par|nominal)\b/i

const CAPITALIZED = /^\p{Lu}\p{Ll}+$/u
/** `Sterling Infrastructure common stock`, `per Rand share`. */
const STOCK_AFTER = new RegExp(
  "^(?:'s)?(?: (?!Pric|Per\\b)[A-Z][\\w.&'-]*){0,2}" +
    `(?: ${anyCase('(?:common|ordinary|preferred|restricted|voting|class [a-z])')})* ` +
    `${anyCase('(?:stock|shares?)')}\\b(?! [Pp]rice)`,
)
const SHARES_BEFORE = /\b(?:[Ss]hares?|[Ss]tock) of $/

/** How far around a match its context reaches. */
const NEAR = 60

/**
 * Recognizes an issuer (`Sterling common stock`, `shares of Sterling`) and a person (`by Yuan Chen`, or at the
 * beginning `Yen Nguyen, her spouse`).
 */
function isIssuerOrPerson(name: string, before: string, after: string): boolean {
  if (!CAPITALIZED.test(name)) return false
  if (STOCK_AFTER.test(after)) return !/\d ?$/.test(before)
  if (SHARES_BEFORE.test(before)) return !/^(?:-| ?\d)/.test(after)
  return before === '' ? /^ [A-Z][a-z]+,/.test(after) : /\b(?:with|by) $/.test(before) && /^ [A-Z][a-z]/.test(after)
}

function namesCurrency(sentence: string): boolean {
  return [...sentence.matchAll(CURRENCY)].some(({ index, 0: name }) => {
    const before = sentence.slice(Math.max(0, index - NEAR), index)
    const after = sentence.slice(index + name.length, index + name.length + NEAR)
    return (
      !NAMED_AFTER.test(after) &&
      !(NAMED_BEFORE.test(before) && (!before.endsWith('(') || after.startsWith(')'))) &&
      !isIssuerOrPerson(name, before, after) &&
      !PAR_BEFORE.test(before) &&
      !PAR_AFTER.test(after)
    )
  })
}

const PRICE = /\bpric(?:es?|ed|ing)\b/i
const OF_PRICE = new RegExp(
  String.raw`\bpric(?:es?|ed|ing)\b|\bper (?:(?:ordinary|common|class [a-z]|subordinate|voting) ` +
    String.raw`)*(?:share|unit|stock|security|ADS)\b|\b(?:purchas|bought|buy|sold|sale|sell|acquir|` +
    String.raw`subscri|paid|cost|trad|execut|effect|transact)\w*\b.{0,100}?\b(?:at|for|in|of|between|` +
    String.raw`from)\b`,
  'i',
)
/** Other sums that footnotes give: `dividends paid in Canadian dollars`. */
const OTHER_SUM = /\b(?:dividends?|salar\w+|wages?|tax(?:es)?|loans?|fees?|debt|bonus(?:es)?|indebtedness)\b/i

const US_DOLLARS =
  '(?:\\b(?:U\\.? ?S\\.?(?: ?A\\.?)?|' +
  anyCase('united states|american') +
  ')[ -]?(?:' +
  anyCase('dollars?|currency') +
  '\\b|\\$)|\\b[uU][sS] ?[dD]?\\$|\\b(?:USD|usd)\\b)'
const ABOUT_CURRENCY =
  `(?:${US_DOLLARS}|\\b${anyCase('(?:dollars?|currency)')}\\b|\\b(?:${CODES})\\b|(?:${SIGNS})|` +
  `[A-Z]{1,3}\\$|\\b(?:${anyCase(NAMES)})\\b)`
/** What may stand between `converted` and a currency: no security, since those are converted, too. */
const SECURITIES = anyCase('(?:shares?|stock|debentures?|notes?|loans?|bonds?|preferred|warrants?|units?)')
const NO_SECURITY = `(?:(?!\\b${SECURITIES}\\b).){0,60}?`
const CONVERTED = new RegExp(
  `${US_DOLLARS}|\\b${anyCase('(?:exchange rates?|rates? of exchange|fx rates?|translat(?:ed|ion|ing))')}\\b|` +
    `\\b${anyCase('conver(?:ted|ting|sion)')}\\b${NO_SECURITY}(?:${ABOUT_CURRENCY}|` +
    `\\b${anyCase('at (?:the |an? )?(?:[a-z]+ ){0,2}rate')}\\b|\\b[aA][tT] 0?\\.\\d)|` +
    `${ABOUT_CURRENCY} (?:[cC]urrency )?[cC]onver(?:ted|sion)\\b`,
  'gu',
)

const ADS = '(?:ADSs?|ADRs?|GDSs?|GDRs?|(?:american |global )?deposit[ao]ry (?:shares?|receipts?))'
const MENTIONS_ADS = new RegExp(`\\b${ADS}\\b`, 'i')
const EACH_ADS = `(?:per|for (?:each|one|an?|the)|of (?:each|one|an?|the)|on an?) (?:whole )?${ADS}`
const PER_ADS = new RegExp(
  '\\b(?:pric(?:es?|ed)|reported|paid|cost|sold|purchased|bought|acquired|' +
    `value)\\b.{0,160}?\\b${EACH_ADS}\\b|\\b${ADS} (?:[a-z]+ )?prices?\\b|` +
    `\\$ ?[\\d.,]+ (?:${EACH_ADS}|(?:an?|each|a single) ${ADS})\\b`,
  'gi',
)
const ONE_SHARE =
  "(?:one|1|a single)(?: \\((?:1|one)\\))?(?: (?:of the|class [a-z]|underlying|new|issuer's|" +
  "company's|ordinary|common|registered|" +
  'voting|deposited|equity|fully[- ]paid))*,? (?:shares?|stock)\\b'
const ONE_TO_ONE = new RegExp(
  '\\b(?:represent\\w*|equals?|equal to|equivalent to|is|evidenc\\w+|correspond\\w* to|=|for)(?: ' +
    'the right to receive)? ' +
    `${ONE_SHARE}|\\b(?:one|1)[- ]?(?:to|for|:)[- ]?(?:one|1)\\b(?![\\d,./-]*\\d| hundred)`,
  'gi',
)
const BROUGHT_TO_SHARE = new RegExp(
  '\\bdivid(?:ed|ing)\\b|' +
    '(?<!\\b(?:may|can|could|will|would) be )\\b(?:convert(?:ed|ing)|adjust(?:ed|ing)|calculated|' +
    'computed|derived|restated)\\b' +
    `(?! (?:from|into|to|using|at) (?:\\w+ ){0,2}${ABOUT_CURRENCY}).{0,120}?\\b(?:ratio|ordinary|` +
    'common|per[- ]share|number of shares)\\b|' +
    '(?:\\bpric(?:es?|ed)\\b|\\$ ?[\\d.,]+)[^;]{0,60}?\\bper (?:class [a-z] )?(?:ordinary|common) share\\b',
  'giu',
)

const EXCHANGES =
  '(?:Toronto|Tokyo|London|Australian?|Tel[- ]?Aviv|Hong ?Kong|Frankfurt|Oslo|Stockholm|Copenhagen|' +
  'Helsinki|Swiss|Taiwan|Korea|' +
  'Shanghai|Shenzhen|Singapore|Johannesburg|Mexican|Madrid|Milan|Italian|Vienna|Warsaw|Athens|' +
  'Irish|Luxembourg|Bombay|' +
  'National|Indian|New Zealand|Canadian|Montreal|Brussels|Lisbon|Paris|Amsterdam|Brazilian|S[aã]o ' +
  'Paulo|Santiago|Lima|' +
  'Philippine|Thai|Jakarta|Indonesia|Malaysia|Istanbul|Moscow|Prague|Budapest|Iceland|Berlin|Stuttgart|Munich)' +
  ' (?:Securities|Stock) Exchange'
const ABROAD = new RegExp(
  '\\b(?:trad(?:e|es|ed|ing)|list(?:ed|ing)|quoted|purchase[sd]?|bought|sold|sales?|acquired|' +
    'executed|effected|made|transactions?)\\b.{0,120}?' +
    `(?:\\b(?:${EXCHANGES}|Stock Exchange of (?:Hong Kong|Singapore|Thailand)|Euronext|Xetra|Oslo ` +
    'B[oø]rs|Bursa Malaysia|Borsa Italiana|' +
    'Bolsa|BOVESPA|Nasdaq (?:Stockholm|Copenhagen|Helsinki|Iceland|Nordic|First North)|TSX|TSX-?V|' +
    'TSE|LSE|AIM|ASX|TASE|HKEX|SEHK|JSE|SGX|' +
    `NSE|BSE|BMV|B3|CSE|NEO)(?![A-Za-z0-9]))`,
)
const AT_HOME = /\b(?:NYSE|New York Stock|Nasdaq(?! (?:Stockholm|Copenhagen|Helsinki|Iceland|Nordic|First North)))/i

/** `The manager is listed in Tokyo` is about another company. */
const DEALT =
  /\b(?:shares?|stock(?! exchange)|transactions?|purchases?|sales?|trades?|purchased|bought|sold|acquired)\b/i

const NOT_PER_SHARE = new RegExp(
  '\\bpric(?:es?|ed)\\b[^;]{0,80}?(?:\\b(?:per ?cent(?:age)?|pct)\\b|%) (?:of|per)\\b|' +
    '\\bpric(?:es?|ed)\\b[^;]{0,80}?\\bper (?:US ?)?\\$ ?\\d|' +
    '\\bprices?\\b[^;]{0,60}?\\b(?:is|are|represents?|reflects?|shows?) (?:the |an? )?(?:aggregate|total|entire)\\b|' +
    '\\bnot (?:an? |the )?(?:price )?per[- ]share\\b',
  'i',
)

const NEGATED =
  /\b(?:no|not|never|nor|without|rather than|instead of)\b(?:(?!\b(?:but|and)\b|[,;]).){0,60}$|n't [^,;]{0,60}$/i

/** Checks that the sentence has a match of a global pattern before which nothing denies it. */
function says(sentence: string, pattern: RegExp): boolean {
  return [...sentence.matchAll(pattern)].some(({ index }) => {
    return !NEGATED.test(sentence.slice(Math.max(0, index - NEAR), index))
  })
}

/** Returns the flags of a footnote's statements about the unit of a price, in the order of UNIT_FLAGS. */
export function unitFlags(text: string): UnitFlag[] {
  if (!MENTION.test(text)) return []
  const sentences = sentencesOf(text)
  const inCurrency = sentences.filter(namesCurrency).filter((s) => PRICE.test(s) || !OTHER_SUM.test(s))
  const ofAds = MENTIONS_ADS.test(text)
  const flags: Record<UnitFlag, boolean> = {
    currency: inCurrency.length > 0,
    price_currency: inCurrency.some((sentence) => OF_PRICE.test(sentence)),
    converted: sentences.some((sentence) => says(sentence, CONVERTED)),
    per_ads: sentences.some((sentence) => says(sentence, PER_ADS)),
    per_share: ofAds && sentences.some((sentence) => says(sentence, ONE_TO_ONE) || says(sentence, BROUGHT_TO_SHARE)),
    traded_abroad: sentences.some((one) => ABROAD.test(one) && !AT_HOME.test(one) && DEALT.test(one)),
    not_per_share: sentences.some((sentence) => NOT_PER_SHARE.test(sentence)),
  }
  return UNIT_FLAGS.filter((flag) => flags[flag])
}

/**
 * The source of a regular expression that matches every text of which `unitFlags` says anything.
 */
export const MENTIONS_UNIT =
  `${SIGNS}|[A-Za-z.] ?\\$|\\b(?:${CODES})(?:[^A-Za-z]|$)|[0-9]p\\b|` +
  `(?:${anyCase(
    'dollar|currenc|[0-9] (?:canadian|australian|cdn)|\\byen\\b|\\bpounds?\\b|pence|\\bsterling\\b|' +
      '\\beuros?\\b|\\bkron|' +
      'crown|francs?\\b|renminbi|yuan|rupee|rupiah|\\breais|brazilian real|shekel|sheqel|agorot|' +
      '\\bpeso|\\bwon\\b|rands?\\b|' +
      'z(?:l|ł|Ł)ot|forint|koruna|rouble|ruble|baht|ringgit|dirham|riyal|liras?\\b|dinar|hryvnia|naira|' +
      'nuevos|\\busd\\b|' +
      'exchange rate|rates? of exchange|\\bfx rate|translat|conver(?:ted|ting|' +
      'sion)[^;]{0,90}(?:\\brate\\b|\\bat 0?[.])|' +
      '\\b(?:a|g)d(?:r|s)s?\\b|deposit(?:a|o)ry (?:share|receipt)|' +
      '\\bpric(?:e|es|ed)\\b[^;]{0,120}(?:per ?cent|pct|%|per (?:us ?)?[$]|aggregate|total|entire)|' +
      'not (?:an? |the )?(?:price )?per[- ]share|(?:stock|securities) exchange(?: of|[^ ]| [^a]|$)',
  )})|Euronext|Xetra|Oslo B|Bursa|Borsa|Bolsa|BOVESPA|Nasdaq [A-Z]|` +
  '\\b(?:TSX|TSE|LSE|AIM|ASX|TASE|HKEX|SEHK|JSE|SGX|NSE|BSE|BMV|B3|CSE|NEO)\\b'
const MENTION = new RegExp(MENTIONS_UNIT)

const KIND_WORDS = {
  preferred: /\b(?:preferred|preference|prefs?|pfd)\b/i,
  debt: new RegExp(
    String.raw`(?:\b(?:convertible|promissory|senior|exchangeable)? ?(?<!\bsee )(?:notes?|nts)\b(?! ` +
      String.raw`?\(?\d{1,2}\b| (?:below|above))|\b(?:bonds?|debentures?|debs)\b(?! (?:fund|trust|income|` +
      String.raw`portfolio|etf|street|opportunit))|\bconvertible debt\b|\bprincipal amount\b|\bcommercial ` +
      String.raw`paper\b)`,
    'i',
  ),
  ads: new RegExp(`\\b${ADS}\\b|\\bdeposit[ao]ry\\b`, 'i'),
  ordinary: /\b(?:ordinary|common)\b/i,
} as const
const SHARES = /\b(?:shares?|stock|equity|class [a-z])\b/i
const NO_SHARE = /\b(?:units?|warrants?|options?|rights?|interests?)\b/i
const DATED_DEBT = /\d ?%.*\bdue\b.*\b(?:19|20)\d\d\b/i

/** Returns the kind of security that the title names; of several, as in `ADSs, each representing ordinary shares`, the first. */
export function securityKind(title: string): SecurityKind {
  const text = title.slice(0, LONGEST_TITLE)
  const kinds = Object.entries(KIND_WORDS)
    .map(([kind, words]) => ({ kind: kind as keyof typeof KIND_WORDS, at: text.search(words) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
  // `Depositary Shares of Series A Preferred Stock` are sold by the share as preferred stock is.
  const first = kinds[0]?.kind
  if (first === 'ads' && kinds.some(({ kind }) => kind === 'preferred')) return 'preferred'
  if (first) return first
  if (SHARES.test(text)) return NO_SHARE.test(text) ? 'other' : 'ordinary'
  return DATED_DEBT.test(text) ? 'debt' : 'other'
}

/** EDGAR takes 60 characters. */
const LONGEST_TITLE = 300
