// The newest notices of proposed sales at a company, or of a seller; nothing where there are none.
import type { Query } from '../../client/operations.ts'
import { client, useAsked } from '../api.ts'
import { linkTo } from '../route.ts'
import { Loaded } from './notice.tsx'
import { NoticeTable } from './notice-table.tsx'

const SHOWN = 10

interface PlannedSalesProps {
  query: Query<'listNotices'>
  without: 'company' | 'seller'
  /** The filter of the page of all notices that shows more of these. */
  more: Record<string, string>
}

export function PlannedSales({ query, without, more }: PlannedSalesProps) {
  const asked = useAsked(
    (signal) => client.notices.list({ ...query, limit: SHOWN }, { signal }),
    [JSON.stringify(query)],
  )
  if (asked.data?.notices.length === 0) return null
  // A company without a filing that this service knows has no notices either.
  if (asked.error !== null && asked.error.status === 404) return null
  return (
    <section>
      <h2>Planned sales (Form 144)</h2>
      <Loaded asked={asked}>
        {({ notices, hasMore }) => (
          <>
            <NoticeTable notices={notices} without={without} />
            {hasMore && (
              <p>
                <a href={linkTo('notices', '', more)}>All notices</a>
              </p>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}
