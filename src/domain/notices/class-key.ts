// Classes of securities as notices and Forms 4 call them: `Common` and `Class A` here, `Common Stock, par value $0.01`
// and `Class A Common Stock` there.
import { comparableTitle } from '../trades/security-title.ts'

/** The key of depositary shares, whose number is not that of the shares they stand for. */
export const DEPOSITARY = 'depositary'

/** Returns the same text for titles of one class; '' for a title that names none, such as `Common Stock`. */
export function classKey(title: string): string {
  if (/\bad[srh]s?\b|\bdeposit[ao]ry\b/i.test(title)) return DEPOSITARY
  const letters = comparableTitle(title).replace(/common|ordinary|capital|stock/g, '')
  if (letters === 'com') return ''
  return /^[a-z]$/.test(letters) ? `class${letters}` : letters
}
