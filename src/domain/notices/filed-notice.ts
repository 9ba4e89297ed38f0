// Determines the filing time of a notice, by the same rules as for other filings.
import { filingTime } from '../filings/acceptance-time.ts'
import type { FiledNotice, Notice } from './notice.ts'

/** Returns the notice with its filing time. `receivedAt` is when the document was first received, in seconds. */
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
