// Sectors by SIC code, from a table of our own. SIC is self-assigned and groups by how things are made (drugs, chips
// and cars are all "manufacturing"), so ranges give the rule and narrower ranges below them the exceptions that
// investors expect.
import type { Cik } from '../shared/identifiers.ts'

export const SECTORS = [
  'Technology',
  'Health Care',
  'Financials',
  'Real Estate',
  'Industrials',
  'Consumer Discretionary',
  'Consumer Staples',
  'Energy',
  'Materials',
  'Utilities',
  'Communications',
  'Unknown',
] as const
export type Sector = (typeof SECTORS)[number]

/** Returns the present sector of an issuer, `Unknown` where nothing says it. */
export type SectorOf = (issuer: Cik) => Sector

interface SectorFinding {
  sector: Sector
  /** Four digits; null if there is none, which `0000` means too. */
  sic: string | null
  basis: 'sic' | 'office' | 'none'
}

/** [first code, last code, sector]; the narrowest range that holds a code decides. Gaps are codes EDGAR doesn't use. */
const RANGES: readonly (readonly [number, number, Sector])[] = [
  // Agriculture, mining, construction
  [100, 999, 'Consumer Staples'],
  [800, 899, 'Materials'], // forestry
  [1000, 1499, 'Materials'],
  [1200, 1399, 'Energy'], // coal, oil and gas
  [1500, 1799, 'Industrials'],
  [1520, 1531, 'Consumer Discretionary'], // home builders
  // Manufacturing
  [2000, 2199, 'Consumer Staples'],
  [2200, 2399, 'Consumer Discretionary'],
  [2400, 2499, 'Materials'],
  [2451, 2452, 'Consumer Discretionary'], // mobile and prefabricated homes
  [2500, 2519, 'Consumer Discretionary'],
  [2520, 2599, 'Industrials'], // office and public furniture
  [2600, 2699, 'Materials'],
  [2700, 2749, 'Communications'],
  [2750, 2799, 'Industrials'], // commercial printing
  [2771, 2771, 'Consumer Discretionary'], // greeting cards
  [2800, 2899, 'Materials'],
  [2833, 2836, 'Health Care'],
  [2840, 2844, 'Consumer Staples'],
  [2900, 2949, 'Energy'],
  [2950, 2959, 'Materials'],
  [2960, 2999, 'Energy'],
  [3000, 3099, 'Materials'],
  [3011, 3021, 'Consumer Discretionary'], // tires, footwear
  [3050, 3059, 'Industrials'],
  [3100, 3199, 'Consumer Discretionary'],
  [3200, 3399, 'Materials'],
  [3260, 3269, 'Consumer Discretionary'], // pottery
  [3357, 3357, 'Industrials'], // wire and cable
  [3400, 3499, 'Industrials'],
  [3411, 3412, 'Materials'], // cans and drums
  [3500, 3599, 'Industrials'],
  [3533, 3533, 'Energy'], // oil field machinery
  [3559, 3559, 'Technology'], // chip-making machines, for most who use it
  [3570, 3579, 'Technology'],
  [3600, 3629, 'Industrials'],
  [3630, 3639, 'Consumer Discretionary'],
  [3640, 3649, 'Industrials'],
  [3650, 3659, 'Consumer Discretionary'],
  [3660, 3679, 'Technology'],
  [3690, 3699, 'Industrials'],
  [3695, 3695, 'Technology'], // recording media
  [3700, 3719, 'Consumer Discretionary'],
  [3713, 3713, 'Industrials'], // truck and bus bodies
  [3715, 3715, 'Industrials'],
  [3720, 3799, 'Industrials'],
  [3751, 3751, 'Consumer Discretionary'], // motorcycles and bicycles
  [3790, 3799, 'Consumer Discretionary'], // recreational vehicles
  [3800, 3829, 'Technology'],
  [3812, 3812, 'Industrials'], // aerospace and defence electronics
  [3821, 3821, 'Health Care'], // laboratory apparatus
  [3822, 3824, 'Industrials'],
  [3826, 3826, 'Health Care'], // laboratory analysis
  [3840, 3859, 'Health Care'], // with 3842: prostheses, and safety equipment too
  [3860, 3869, 'Technology'],
  [3870, 3979, 'Consumer Discretionary'],
  [3980, 3999, 'Industrials'],
  // Transport, communications, utilities
  [4000, 4599, 'Industrials'],
  [4600, 4699, 'Energy'], // pipelines
  [4700, 4799, 'Industrials'],
  [4700, 4700, 'Consumer Discretionary'], // travel services
  [4800, 4899, 'Communications'],
  [4900, 4999, 'Utilities'],
  [4922, 4922, 'Energy'], // gas transmission
  [4950, 4959, 'Industrials'], // waste
  // Trade
  [5000, 5099, 'Industrials'],
  [5010, 5029, 'Consumer Discretionary'],
  [5045, 5045, 'Technology'],
  [5047, 5047, 'Health Care'],
  [5050, 5059, 'Materials'],
  [5064, 5064, 'Consumer Discretionary'],
  [5065, 5065, 'Technology'],
  [5090, 5099, 'Consumer Discretionary'],
  [5100, 5199, 'Consumer Staples'],
  [5110, 5119, 'Industrials'],
  [5122, 5122, 'Health Care'],
  [5130, 5139, 'Consumer Discretionary'],
  [5160, 5169, 'Materials'],
  [5170, 5179, 'Energy'],
  [5190, 5199, 'Consumer Discretionary'],
  [5200, 5999, 'Consumer Discretionary'],
  [5331, 5331, 'Consumer Staples'], // variety stores and warehouse clubs
  [5399, 5399, 'Consumer Staples'],
  [5400, 5499, 'Consumer Staples'],
  [5912, 5912, 'Consumer Staples'], // drug stores
  // Finance and real estate
  [6000, 6799, 'Financials'],
  [6324, 6324, 'Health Care'], // health plans
  [6500, 6599, 'Real Estate'],
  [6792, 6792, 'Energy'], // oil royalties
  [6794, 6794, 'Technology'], // patent owners
  [6795, 6795, 'Materials'], // mineral royalties
  [6798, 6798, 'Real Estate'],
  // Services
  [7000, 7299, 'Consumer Discretionary'],
  [7300, 7369, 'Industrials'],
  [7310, 7319, 'Communications'], // advertising
  [7370, 7379, 'Technology'],
  [7380, 7399, 'Industrials'],
  [7384, 7384, 'Consumer Discretionary'],
  [7385, 7385, 'Technology'], // telephone interconnect systems
  [7389, 7389, 'Financials'], // payment networks, such as Visa and Mastercard, and business services of other kinds
  [7500, 7699, 'Consumer Discretionary'],
  [7600, 7699, 'Industrials'],
  [7800, 7829, 'Communications'], // film and video
  [7830, 7999, 'Consumer Discretionary'],
  [7841, 7841, 'Communications'], // video rental, by now streaming
  [8000, 8099, 'Health Care'],
  [8100, 8199, 'Industrials'],
  [8200, 8399, 'Consumer Discretionary'],
  [8600, 8699, 'Consumer Discretionary'],
  [8700, 8799, 'Industrials'],
  [8731, 8731, 'Health Care'], // contract research
  [8734, 8734, 'Health Care'], // testing laboratories
  [8900, 8999, 'Industrials'],
]

/** The SEC's review offices, `01 Energy & Transportation` to `08 ...`. Coarse: each holds several of our sectors. */
const OFFICES: readonly (readonly [RegExp, Sector])[] = [
  [/energy/i, 'Energy'],
  [/life sciences/i, 'Health Care'],
  [/real estate/i, 'Real Estate'],
  [/technology/i, 'Technology'],
  [/crypto|structured finance|\bfinance\b/i, 'Financials'],
  [/trade/i, 'Consumer Discretionary'],
  [/manufacturing|industrial applications/i, 'Industrials'],
]

/**
 * Returns the sector by SIC, else by the SEC's office, else `Unknown`. `sic` as the header or the submissions JSON has
 * it.
 */
export function sectorOf(sic: string | null, office: string | null): SectorFinding {
  const code = sic === null ? null : parseSic(sic)
  const bySic = code === null ? null : sectorOfSic(Number(code))
  if (bySic) return { sector: bySic, sic: code, basis: 'sic' }
  const byOffice = OFFICES.find(([pattern]) => office !== null && pattern.test(office))?.[1]
  return byOffice ? { sector: byOffice, sic: code, basis: 'office' } : { sector: 'Unknown', sic: code, basis: 'none' }
}

/**
 * Extracts four digits from `SPECIAL INDUSTRY MACHINERY, NEC [3559]` or from the bare code; null for none and for
 * `[0000]`.
 */
export function parseSic(text: string): string | null {
  const code = (/\[(\d{3,4})\]\s*$/.exec(text) ?? /^\s*(\d{3,4})\s*$/.exec(text))?.[1]?.padStart(4, '0')
  return code === undefined || code === '0000' ? null : code
}

function sectorOfSic(code: number): Sector | null {
  const holding = RANGES.filter(([first, last]) => first <= code && code <= last)
  const narrowest = holding.sort((a, b) => a[1] - a[0] - (b[1] - b[0]))[0]
  return narrowest ? narrowest[2] : null
}
