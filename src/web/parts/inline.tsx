// What stands within a line on several pages: an instant, a severity, links.
import { filedAt, insiderName } from '../format.ts'
import { linkTo } from '../route.ts'
import { zone } from '../state/store.ts'

/** An instant in the reader's zone, with the whole of it for pointers and machines. */
export function Time({ at, basis }: { at: string; basis?: string | undefined }) {
  return (
    <time dateTime={at} title={`${at}${basis === undefined || basis === 'accepted' ? '' : ` (${basis})`}`}>
      {filedAt(at, zone.value)}
    </time>
  )
}

export const Level = ({ of }: { of: string }) => <span class={`severity ${of}`}>{of}</span>

/** Leads to the SEC alone, whatever an answer says. */
export function SecLink({ url, children }: { url: string | null | undefined; children: string }) {
  if (!url?.startsWith('https://www.sec.gov/')) return <>{children}</>
  return (
    <a href={url} rel="noreferrer external">
      {children}
    </a>
  )
}

export const InsiderLink = ({ cik, name }: { cik: string; name: string }) => (
  <a href={linkTo('insider', cik)} title={`As filed: ${name}`}>
    {insiderName(name)}
  </a>
)
