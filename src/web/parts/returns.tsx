// What shares did after the filings of an insider, on average, by the operator's prices; nothing where there are none.
import type { components } from '../../contract.ts'
import { change, count } from '../format.ts'
import { RETURNS } from '../words.ts'
import { Table } from './table.tsx'

type Schemas = components['schemas']

export function AverageReturns({ of }: { of: Schemas['SideReturns'] | undefined }) {
  if (of === undefined) return null
  const rows = (
    [
      ['Purchases', of.buys],
      ['Sales', of.sells],
    ] as const
  ).filter(([, averages]) => RETURNS.some(([field]) => averages[field].n > 0))
  if (rows.length === 0) return null
  return (
    <figure>
      <figcaption>
        <b>After this insider’s filings</b>: how closes changed on average, from the first close after each, by prices
        that the operator brought; in brackets how many are known.
      </figcaption>
      <Table
        caption="Average change of the close after filings"
        columns={[['Filings of'], ...RETURNS.map(([, after]) => [after, 'number'] as const)]}
        rows={rows.map(([side, averages]) => ({
          cells: [side, ...RETURNS.map(([field]) => averageWords(averages[field]))],
        }))}
      />
    </figure>
  )
}

/** Returns `+3% (41); benchmark +1%`. */
function averageWords({ n, average, benchmark }: Schemas['ReturnAverage']): string {
  if (average === null) return '–'
  const compared = typeof benchmark === 'number' ? `; benchmark ${change(benchmark)}` : ''
  return `${change(average)} (${count(n)})${compared}`
}
