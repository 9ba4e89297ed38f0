// Which notice a 144/A takes the place of. It is complete, since the form lets nothing out, and replaces the whole.
import { daysBetween } from '../shared/calendar.ts'
import type { AccessionNumber } from '../shared/identifiers.ts'
import { byAge } from './filed-notice.ts'
import type { FiledNotice } from './notice.ts'

const DAYS_BACK = 90

/**
 * Returns, by the accession number of each replaced notice of an issuer, that of the 144/A in its place. The
 * predecessor is the one that the 144/A names, or what has replaced that; it must be an earlier notice of the same
 * seller, since anyone may name any number. If it is unknown, the newest of the 90 days before that has the same sale
 * date or units on a line; if there is none, the 144/A stands alone.
 */
export function replacedNotices(notices: readonly FiledNotice[]): Map<AccessionNumber, AccessionNumber> {
  const replacedBy = new Map<AccessionNumber, AccessionNumber>()
  const lasts = new Map<AccessionNumber, AccessionNumber>()
  const earlier = new Map<AccessionNumber, FiledNotice>()
  const alike = new Map<string, FiledNotice[]>()
  for (const notice of [...notices].sort(byAge)) {
    if (notice.form === '144/A') {
      const predecessor = namedBy(notice, earlier, lasts) ?? newestAlike(notice, alike, replacedBy)
      if (predecessor) {
        replacedBy.set(predecessor.accession, notice.accession)
        lasts.set(predecessor.accession, notice.accession)
      }
    }
    earlier.set(notice.accession, notice)
    for (const key of keysOf(notice)) {
      const known = alike.get(key)
      if (known) known.push(notice)
      else alike.set(key, [notice])
    }
  }
  return replacedBy
}

/** `lasts` lead from a replaced notice towards the one that stands, and are shortened on the way. */
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
  const last = newest.sort(byAge).at(-1)
  return last && daysBetween(last.filedDay, notice.filedDay) <= DAYS_BACK ? last : undefined
}

/** What a correction leaves as it was, if it does not correct it. */
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
