// The time of a notice, by the rules of other filings.
import { filingTime } from '../filings/acceptance-time.ts'
import type { FiledNotice, Notice } from './notice.ts'

/** Returns the notice with its time. `receivedAt` is when the document was first received, in seconds since 1970. */
export function filedNotice(notice: Notice, receivedAt: number): FiledNotice {
  const { at, day, basis } = filingTime(
    {
      header: notice.header,
      signatures: [{ name: '', date: notice.noticeDate }],
      periodOfReport: null,
      dateOfOriginalSubmission: null,
      nonDerivative: [],
      derivative: [],
    },
    receivedAt,
  )
  return { ...notice, filedAt: at, filedDay: day, filedBasis: basis }
}

/** Orders notices by acceptance, then by accession number. */
export function byAge(
  a: Pick<FiledNotice, 'filedAt' | 'accession'>,
  b: Pick<FiledNotice, 'filedAt' | 'accession'>,
): number {
  return a.filedAt - b.filedAt || (a.accession < b.accession ? -1 : a.accession > b.accession ? 1 : 0)
}
