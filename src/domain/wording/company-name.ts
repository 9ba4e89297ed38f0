// Company names for sentences: without legal form and state, in proper case if filed in capitals.
import { wordSet } from '../shared/word-set.ts'
import { capitalAfterMc, isCapitals, properCase } from './letter-case.ts'

const keyOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')
const LEGAL_FORM = new RegExp(
  '[\\s,]+(?:inc|incorporated|corp|corporation|co|company|ltd|limited|plc|ag|se|a/s' +
    '|l\\.?l\\.?c|l\\.? ?p|n\\.?v|s\\.?a)\\.?$',
  'i',
)
/** `/DE/`, `\DE\`, `/NEW/`, `/MN`, a slash alone. */
const STATE = /\s*[/\\]\s*(?:[A-Z]{2,4}[/\\]?)?$/
const FORMERLY = /\s*\((?:formerly|f\/k\/a|fka)\b[^)]*\)?$/i
/** Not in capitals within a name. */
const SMALL_WORDS = wordSet('of and the for in on at by to de')

/** Names and words whose spelling follows neither from rules nor from the capitals. */
const WRITTEN: ReadonlyMap<string, string> = new Map(
  [
    ...wordSet(`
  1-800-Flowers.com Moody's Lowe's Macy's Kohl's McDonald's Wendy's Dillard's Casey's Domino's Denny's O'Reilly
  AbbVie Aon AstraZeneca AutoNation AutoZone BellSouth BlackRock BorgWarner BuzzTime CarMax CenturyLink ConocoPhillips
  CoStar CubeSmart DaVita DocuSign DoorDash DuPont eBay EchoStar EnPro EverQuote ExxonMobil FactSet FedEx
  FirstEnergy FleetCor GameStop GlaxoSmithKline GoDaddy HubSpot iRobot JetBlue JPMorgan LendingTree LinkedIn
  LiveNation MarineMax MasTec MasterCard MediFast MercadoLibre MetLife MicroStrategy NantKwest NeoGenomics NetApp
  NetSuite NextEra NiSource NortonLifeLock OneMain OneOK OneSpan PacWest PayPal PepsiCo PerkinElmer PetMed
  PulteGroup QuinStreet RealPage RingCentral SeaWorld ServiceNow SkyWest SoftBank SolarWinds SunPower SunTrust SVB
  TechTarget TreeHouse TripAdvisor TrueBlue TrustCo UniFirst UnitedHealth US USA UK VeriSign VMware WeWork WesBanco
  WideOpenWest XPEL ZoomInfo AGCO AES AIG AMC AMETEK AOL ARCA ASML BAE BOK CACI CBRE EMCOR EPAM GATX GE IAC IDEX IDEXX
  IQVIA KLA MSCI NACCO NAPCO NASDAQ NOV NVIDIA PACCAR RCI RELX RMR TEGNA USANA UGI UMB VICI ITT II III IV VI AI IT
  TV ADR REIT ETF`),
  ].map((name) => [keyOf(name), name]),
)

/** No sentence has room for more, and text from filers must not take long. */
const LONGEST = 300

/** Converts `UNITEDHEALTH GROUP INC` to `UnitedHealth Group`; empty for an empty name. */
export function readableCompany(filed: string): string {
  const name = withoutForms(filed.slice(0, LONGEST).replace(/\s+/g, ' ').trim())
  const written = WRITTEN.get(keyOf(name))
  if (written) return written
  if (!isCapitals(name.replace(/&.*| com$/i, ''))) return name
  return turned(name).split(' ').map(inCase).join(' ').replace(/ com$/i, '.com')
}

/** Removes legal forms as long as something is left; `&` before a form belongs to the name. */
function withoutForms(filed: string): string {
  let name = filed
  for (let before = ''; name !== before;) {
    before = name
    for (const ending of [FORMERLY, STATE, LEGAL_FORM]) {
      const shorter = name.replace(ending, '').replace(/[\s,]+$/, '')
      if (shorter !== '' && !/(?:^|\s)(?:&|and|of|the)$/i.test(shorter)) name = shorter
    }
  }
  return name
}

/** Converts `STARRETT L S` to `L. S. STARRETT`: EDGAR sorts companies named after people by the surname. */
function turned(name: string): string {
  const [, surname, initials] = /^(\p{L}{3,})((?: \p{L}){1,3})$/u.exec(name) ?? []
  return surname && initials
    ? `${initials
        .trim()
        .split(' ')
        .map((letter) => `${letter}.`)
        .join(' ')} ${surname}`
    : name
}

function inCase(word: string, at: number): string {
  const written = WRITTEN.get(keyOf(word))
  if (written) return word.replace(/[\p{L}\p{N}.'’-]+/u, written)
  if (at > 0 && SMALL_WORDS.has(word.toLowerCase())) return word.toLowerCase()
  const isKept = isAcronym(word.replace(/[^\p{L}]/gu, '')) || /\p{L}&\p{L}/u.test(word)
  return isKept ? word : capitalAfterMc(properCase(word))
}

const SHORT_WORDS = wordSet(`
  ace act age aid air all any apt arc ark arm art ask axe eat eco egg ego eli elk elm end era eye ice ink inn ion
  oak oil old one our out owl own`)
const ONSETS = /^(?:[bcdfghjklmnpqrstvwxz]|[bcfgps]l|[bcdfgkptw]r|[cpstw]h|qu|s[ckmnptwy]|tw|kn|th)$/

/** Recognizes words without a vowel, or of three letters that can't be pronounced: `KBR`, `CME`, `OFG`. */
function isAcronym(letters: string): boolean {
  const word = letters.toLowerCase()
  if (word.length < 2) return true
  if (!/[aeiouy]/.test(word)) return word.length <= 5
  if (word.length > 3 || SHORT_WORDS.has(word)) return false
  const [onset = ''] = /^[^aeiouy]*/.exec(word)!
  return onset === '' ? word.length === 3 : !ONSETS.test(onset)
}
