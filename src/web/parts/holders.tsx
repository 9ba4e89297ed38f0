// How much the insiders of a company hold, by class: who reports together is one holder.
import type { Query } from '../../client/operations.ts'
import { client, useAsked } from '../api.ts'
import { many, shares } from '../format.ts'
import { InsiderLink } from './inline.tsx'
import { Loaded } from './notice.tsx'
import { namesOf, totalCells, TOTALS } from './positions.tsx'
import { Folded, Table } from './table.tsx'

export const holdersQuery = (asOf: string | undefined): Query<'listHolders'> => ({ limit: 100, asOf })

const MAX_ROWS = 10

export function Holders({ ticker, asOf }: { ticker: string; asOf: string | undefined }) {
  const asked = useAsked((signal) => client.companies.holders(ticker, holdersQuery(asOf), { signal }), [ticker, asOf])
  // Of many companies nothing is held; one without a filing that this service knows is not found.
  if (asked.error === null ? !asked.data?.classes.length : asked.error.status === 404) return null
  return (
    <section>
      <h2>Insiders’ holdings</h2>
      <Loaded asked={asked}>
        {({ complete, classes }) => (
          <>
            <p class="muted text">
              From all Forms 3, 4 and 5, without those who report no longer. Who reports together is one holder.
              {!complete && ' Made of the newest 10,000 filings alone.'}
            </p>
            {classes.map(({ securityTitle, total, holderCount, holders }) => (
              <div key={securityTitle}>
                <h3>
                  {securityTitle}{' '}
                  <span class="full">
                    {shares(total)} of {many(holderCount, 'holder')}
                  </span>
                </h3>
                <Folded all={holders} most={MAX_ROWS} noun="holders">
                  {(shown) => (
                    <Table
                      caption={`Holders of ${securityTitle}`}
                      columns={[['Holder'], ...TOTALS]}
                      rows={shown.map((holder) => ({
                        cells: [<Owners owners={holder.owners} />, ...totalCells(holder)],
                      }))}
                    />
                  )}
                </Folded>
                {holderCount > holders.length && <p class="muted">These are the {holders.length} largest.</p>}
              </div>
            ))}
          </>
        )}
      </Loaded>
    </section>
  )
}

/** The first by a link, those who report with it by their names. */
const Owners = ({ owners: [first, ...others] }: { owners: { cik: string; name: string }[] }) => (
  <>
    {first && <InsiderLink cik={first.cik} name={first.name} />}
    {others.length > 0 && <span class="title"> with {namesOf(others)}</span>}
  </>
)
