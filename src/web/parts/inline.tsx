// What stands within a line on several pages: an instant, a severity, links.
import type { ComponentChildren } from 'preact'
import { dayOf, filedAt, insiderName, isEstimated, timeOf } from '../format.ts'
import { linkTo } from '../route.ts'
import { zone } from '../state/store.ts'

/**
 * An instant in the reader's zone, with the whole of it for pointers and machines; ≈ marks an estimated time. `isDated`
 * shows the day of today's as well.
 */
export function Time({ at, basis, isDated = false }: { at: string; basis?: string | undefined; isDated?: boolean }) {
  const isMarked = isEstimated(at, basis)
  return (
    <time dateTime={at} title={isMarked ? `${at}, ${ESTIMATED}` : at}>
      {isMarked && (
        <>
          <span aria-hidden="true">≈ </span>
          <span class="sr">estimated </span>
        </>
      )}
      {isDated ? `${dayOf(at, zone.value)} ${timeOf(at, zone.value)}` : filedAt(at, zone.value)}
    </time>
  )
}

export const ESTIMATED = 'the time is estimated: the source has the day of filing only'

export const Level = ({ of }: { of: string }) => (
  <span class={`severity ${of}`} title={`${of}, of low, medium, high and critical`}>
    {of}
  </span>
)

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

/** Leads to the page of a filing. */
export const FilingLink = ({ of, children }: { of: string | undefined; children: ComponentChildren }) => (
  <a href={linkTo('filing', of)} title={`Filing ${of}`}>
    {children}
  </a>
)
