// Companies and people that do not exist, the same in every run. CIKs from 9,000,000 on: EDGAR has come to about 2.1
// million, so none can be taken for a real one; names say Example and Sample.
import type { ListedCompany } from '../simulator/company-files.ts'

interface InventedPerson {
  cik: string
  /** As EDGAR conforms names: last name first. */
  name: string
  isDirector: boolean
  officerTitle: string | null
}

interface InventedFund {
  cik: string
  name: string
  partner: { cik: string; name: string }
}

export interface InventedCompany {
  cik: string
  name: string
  ticker: string
  exchange: string | null
  /** As the header writes it. */
  sic: string
  office: string
  /** Dollars a share in an ordinary year. */
  price: number
  insiders: InventedPerson[]
  /** A ten percent owner, at every fourth company. */
  fund: InventedFund | null
}

/** Different in their first three letters, of which symbols are made. */
const THINGS = [
  'Anvil',
  'Basket',
  'Bicycle',
  'Blanket',
  'Bottle',
  'Bridge',
  'Bucket',
  'Button',
  'Candle',
  'Carpet',
  'Chalk',
  'Clock',
  'Compass',
  'Curtain',
  'Dynamo',
  'Easel',
  'Engine',
  'Feather',
  'Ferry',
  'Flute',
  'Funnel',
  'Glacier',
  'Hammer',
  'Hinge',
  'Kettle',
  'Ladder',
  'Lantern',
  'Lever',
  'Magnet',
  'Marble',
  'Mirror',
  'Needle',
  'Orchard',
  'Paddle',
  'Pencil',
  'Pillow',
  'Pulley',
  'Quilt',
  'Ribbon',
  'Rudder',
  'Saddle',
  'Sextant',
  'Spindle',
  'Teapot',
  'Trumpet',
  'Umbrella',
  'Wagon',
  'Whistle',
]
const ENDINGS = ['Inc', 'Corp', 'Holdings Inc', '& Sons Co', 'Ltd', 'Group plc']
const LAST_NAMES = [
  'SAMPLE',
  'SPECIMEN',
  'EXEMPLAR',
  'PLACEHOLDER',
  'MUSTERMANN',
  'FICTIVE',
  'NOBODY',
  'INVENTED',
  'MOCKINGHAM',
  'DRAFTWELL',
  "O'NOONE",
  'TESTERSON',
  'PROTOTYPE',
  'SKETCHLEY',
  'MODELL',
  'FACSIMILE',
  'PATTERNSON',
  'DUMMETT',
  'IMAGINARY',
  'STANDIN',
  'PROVISO',
  'TEMPLATE',
  'BLANKFORM',
  'HYPOTHESIS',
]
const FIRST_NAMES = [
  'Ada',
  'Bruno',
  'Clara',
  'Dario',
  'Edith',
  'Felix',
  'Greta',
  'Hugo',
  'Ines',
  'Jonas',
  'Karin',
  'Leo',
  'Mira',
  'Nils',
  'Olga',
]
const SECTORS = [
  ['SEMICONDUCTORS & RELATED DEVICES [3674]', '04 Manufacturing'],
  ['STATE COMMERCIAL BANKS [6022]', '02 Finance'],
  ['PHARMACEUTICAL PREPARATIONS [2834]', '03 Life Sciences'],
  ['SERVICES-PREPACKAGED SOFTWARE [7372]', '06 Technology'],
  ['CRUDE PETROLEUM & NATURAL GAS [1311]', '01 Energy & Transportation'],
  ['REAL ESTATE INVESTMENT TRUSTS [6798]', '05 Real Estate & Construction'],
  ['RETAIL-VARIETY STORES [5331]', '07 Trade & Services'],
] as const
const TITLES = ['President and CEO', 'EVP and CFO', 'General Counsel', 'Chief Operating Officer']
const EXCHANGES = ['Nasdaq', 'NYSE', 'Nasdaq', 'OTC', null]
const SEATS = 7

export const INVENTED_COMPANIES: readonly InventedCompany[] = THINGS.map((thing, index) => {
  const [sic, office] = SECTORS[index % SECTORS.length]!
  return {
    cik: invented(1, index),
    name: `Example ${thing} ${ENDINGS[index % ENDINGS.length]}`,
    ticker: `EX${thing.slice(0, 3).toUpperCase()}`,
    exchange: EXCHANGES[index % EXCHANGES.length]!,
    sic,
    office,
    // From 3 to about 370 dollars, evenly in orders of magnitude.
    price: Math.round(300 * Math.exp((((index * 31) % 48) / 47) * Math.log(370 / 3))) / 100,
    insiders: insidersOf(index),
    fund: index % 4 === 0 ? fund((index / 4) % 5) : null,
  }
})

/** For the company lists; as there, not every issuer is listed. */
export function inventedListings(): ListedCompany[] {
  return INVENTED_COMPANIES.filter((_, index) => index % 16 !== 15).map(({ cik, name, ticker, exchange }) => ({
    cik,
    name,
    ticker,
    exchange,
  }))
}

/** Four officers, of whom the first is a director too, and three directors; one in three sits on the next board too. */
function insidersOf(company: number): InventedPerson[] {
  return Array.from({ length: SEATS }, (_, seat) => {
    const shared = seat === SEATS - 1 && company % 3 === 1
    return {
      ...person(shared ? (company - 1) * SEATS + seat : company * SEATS + seat),
      isDirector: seat === 0 || seat >= TITLES.length,
      officerTitle: TITLES[seat] ?? null,
    }
  })
}

function person(index: number): { cik: string; name: string } {
  const last = LAST_NAMES[index % LAST_NAMES.length]!
  return { cik: invented(2, index), name: `${last} ${FIRST_NAMES[Math.floor(index / LAST_NAMES.length)]}` }
}

function fund(index: number): InventedFund {
  const name = `Example ${['Harbor', 'Meadow', 'Summit', 'Canyon', 'Lagoon'][index]}`
  return {
    cik: invented(3, index * 2),
    name: `${name} Partners L.P.`,
    partner: { cik: invented(3, index * 2 + 1), name: `${name} GP LLC` },
  }
}

function invented(kind: number, index: number): string {
  return String(9_000_000 + kind * 100_000 + index + 1).padStart(10, '0')
}
