// Finds the notice that a 144/A replaces. A 144/A repeats the whole form, so it replaces all of the other notice.
import { append } from '../shared/append.ts'
import { daysBetween } from '../shared/calendar.ts'
import type { AccessionNumber } from '../shared/identifiers.ts'
import { byAcceptance } from '../shared/order.ts'
import type { FiledNotice } from './notice.ts'

const DAYS_BACK = 90

/**
 * Returns the accession number of the 144/A that replaces it, by that of each replaced notice of an issuer. A 144/A
 * replaces the notice that it names, or the one that has replaced that notice. It must be an earlier notice of the same
 * seller, because filers may enter any number. If it is unknown, the 144/A replaces the newest notice of the 90 days
 * before with the same sale date or units on a line, if there is one.
 */
export function replacedNotices(notices: readonly FiledNotice[]): Map<AccessionNumber, AccessionNumber> {
  const replacedBy = new Map<AccessionNumber, AccessionNumber>()
  const lasts = new Map<AccessionNumber, AccessionNumber>()
  const earlier = new Map<AccessionNumber, FiledNotice>()
  const alike = new Map<string, FiledNotice[]>()
  for (const notice of [...notices].sort(byAcceptance)) {
    if (notice.form === '144/A') {
      const predecessor = namedBy(notice, earlier, lasts) ?? newestAlike(notice, alike, replacedBy)
      if (predecessor) {
        replacedBy.set(predecessor.accession, notice.accession)
        lasts.set(predecessor.accession, notice.accession)
      }
    }
    earlier.set(notice.accession, notice)
    for (const key of keysOf(notice)) append(alike, key, notice)
  }
  return replacedBy
}

/** `lasts` leads from each replaced notice to a later one of its chain. Searching shortens the chains. */
function namedBy(
  notice: FiledNotice,
  earlier: ReadonlyMap<AccessionNumber, FiledNotice>,
  lasts: Map<AccessionNumber, AccessionNumber>,
): FiledNotice | undefined {
  const named = notice.previousAccession === null ? undefined : earlier.get(notice.previousAccession)
  if (named?.seller.cik !== notice.seller.cik) return undefined
  const passed: AccessionNumber[] = []
  let last = named.accession
  for (let next = lasts.get(last); next !== undefined; next = lasts.get(last)) {
    passed.push(last)
    last = next
  }
  for (const each of passed) lasts.set(each, last)
  return earlier.get(last)
}

function newestAlike(
  notice: FiledNotice,
  alike: ReadonlyMap<string, FiledNotice[]>,
  replacedBy: ReadonlyMap<AccessionNumber, AccessionNumber>,
): FiledNotice | undefined {
  const newest = keysOf(notice).flatMap((key) => {
    const known = alike.get(key) ?? []
    while (known.length > 0 && replacedBy.has(known.at(-1)!.accession)) known.pop()
    return known.slice(-1)
  })
  const last = newest.sort(byAcceptance).at(-1)
  return last && daysBetween(last.filedDay, notice.filedDay) <= DAYS_BACK ? last : undefined
}

/** Returns keys of values that a correction usually leaves unchanged. */
function keysOf({ seller, lines }: FiledNotice): string[] {
  return [
    ...new Set(
      lines.flatMap(({ saleDate, units }) => [
        ...(saleDate === null ? [] : [`${seller.cik} ${saleDate}`]),
        ...(units === null ? [] : [`${seller.cik} units ${units}`]),
      ]),
    ),
  ]
}
