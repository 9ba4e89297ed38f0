// What the API must say of the real filings, worked out from the truth about each document and nothing of ours.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../../../shared/filings', import.meta.url))
export const documentsFolder = `${folder}/documents`
export const haveRealFilings = existsSync(`${folder}/truth.json`)

interface TruthRow {
  kind: string
  code: string
  ad: string
  shares: string
  price: string | null
  date: string
}
export interface Truth {
  accession: string | null
  formType: string
  header: { acceptance: string } | null
  issuer: { cik: string; name: string; tickerRaw: string }
  owners: { cik: string; name: string; isOfficer: boolean | null; isDirector: boolean | null }[]
  nonDerivative: TruthRow[]
}

export interface ExpectedTrade {
  file: string
  /** Known where the document or its name shows the accession number. */
  id: string | null
  place: number
  issuerCik: string
  companyName: string
  insiderName: string
  ownerCiks: string[]
  transactionType: string
  shares: number
  pricePerShare: number
  totalValue: number
  /** Known for full submissions. */
  filingDate: string | null
}

export function truth(): Record<string, Truth> {
  return JSON.parse(readFileSync(`${folder}/truth.json`, 'utf8')) as Record<string, Truth>
}

const TYPES: Record<string, string> = {
  PA: 'buy',
  SD: 'sell',
  A: 'award',
  M: 'exercise',
  X: 'exercise',
  O: 'exercise',
  C: 'conversion',
  F: 'tax_withholding',
  G: 'gift',
  D: 'issuer_disposition',
  U: 'tender',
  W: 'inheritance',
  L: 'small_acquisition',
  E: 'expiration',
  H: 'expiration',
  I: 'plan_transaction',
  Z: 'voting_trust',
  K: 'swap',
}

export function expectedTrades(): ExpectedTrade[] {
  return Object.entries(truth()).flatMap(([file, filing]) => {
    if (filing.formType !== '4' && filing.formType !== '4/A') return []
    const { owners } = filing
    const acting = owners.find((owner) => owner.isOfficer) ?? owners.find((owner) => owner.isDirector) ?? owners[0]!
    const shown = /\d{10}-\d{2}-\d{6}/.exec(file)?.[0] ?? null
    return filing.nonDerivative
      .filter((row) => row.kind === 'nonDerivativeTransaction')
      .map((row, index) => ({
        file,
        id: shown && `${shown}-nd-${index + 1}`,
        place: index + 1,
        issuerCik: filing.issuer.cik,
        companyName: filing.issuer.name,
        insiderName: acting.name,
        ownerCiks: owners.map((owner) => owner.cik),
        transactionType: TYPES[row.code] ?? TYPES[row.code + row.ad] ?? 'other',
        shares: Number(row.shares),
        pricePerShare: Number(row.price ?? 0),
        totalValue: cents(row.shares, row.price ?? '0'),
        filingDate: filing.header && utcOf(filing.header.acceptance),
      }))
  })
}

/** shares x price, half up to the cent, in whole numbers. */
function cents(shares: string, price: string): number {
  const whole = (text: string) => {
    const [units = '0', places = ''] = text.split('.')
    return BigInt((units || '0') + places.padEnd(4, '0').slice(0, 4))
  }
  const millionths = whole(shares) * whole(price)
  return Number((millionths + 500_000n) / 1_000_000n) / 100
}

/** The New York clock by the platform's own time zone data. */
function utcOf(stamp: string): string {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(stamp)!.map(Number)
  for (const offset of [4, 5]) {
    const instant = new Date(Date.UTC(year!, month! - 1, day, hour! + offset, minute, second))
    const shown = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'America/New_York',
      dateStyle: 'short',
      timeStyle: 'medium',
    })
    if (shown.format(instant).includes(` ${stamp.slice(8, 10)}:`)) return instant.toISOString().replace('.000', '')
  }
  throw new Error(`no such time: ${stamp}`)
}
