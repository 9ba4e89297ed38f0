// Matches the classes of securities in notices (`Common`, `Class A`) with those in Forms 4 (`Common Stock, par value
// $0.01`, `Class A Common Stock`).
import { comparableTitle } from '../trades/security-title.ts'

/** The key of depositary shares, which can't be counted together with the shares that they represent. */
export const DEPOSITARY = 'depositary'

/** Returns the same key for titles of one class; '' for a title without a class, such as `Common Stock`. */
export function classKey(title: string): string {
  if (/\bad[srh]s?\b|\bdeposit[ao]ry\b/i.test(title)) return DEPOSITARY
  const letters = comparableTitle(title).replace(/common|ordinary|capital|stock/g, '')
  if (letters === 'com') return ''
  return /^[a-z]$/.test(letters) ? `class${letters}` : letters
}
