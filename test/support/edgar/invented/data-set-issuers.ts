// The issuers of an invented data set: CIK, name and symbol by number.
import type { ListedCompany } from '../simulator/company-files.ts'

export const THINGS = [
  'Anvil',
  'Basket',
  'Candle',
  'Dynamo',
  'Easel',
  'Feather',
  'Glacier',
  'Hammer',
  'Kettle',
  'Lantern',
  'Marble',
  'Needle',
  'Orchard',
  'Pencil',
  'Quilt',
  'Rudder',
  'Spindle',
  'Teapot',
  'Umbrella',
  'Whistle',
]
const ENDINGS = ['Inc', 'Corp', 'Holdings Inc', '& Sons Co', 'Ltd']

export const FIRST_CIK = 9_400_000

/** For the company list; as there, not every issuer is listed. */
export function listingsOfDataSet(issuers: number): ListedCompany[] {
  return Array.from({ length: issuers }, (_, issuer) => ({
    cik: String(FIRST_CIK + issuer).padStart(10, '0'),
    name: issuerName(issuer),
    ticker: symbolOf(issuer),
    exchange: 'Nasdaq',
  })).filter((_, issuer) => issuer % 16 !== 15)
}

export function issuerName(issuer: number): string {
  const ending = issuer % 60 ? ENDINGS[issuer % ENDINGS.length]! : '("Example") Inc'
  return `Example ${THINGS[issuer % THINGS.length]} ${String(issuer).padStart(4, '0')} ${ending}`
}

export function symbolOf(issuer: number): string {
  return `EX${[676, 26, 1].map((place) => String.fromCharCode(65 + (Math.floor(issuer / place) % 26))).join('')}`
}
