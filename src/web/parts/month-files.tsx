// The month files of everything, for those who load it: what there is, how much, and where each is listed.
import { client, useAsked } from '../api.ts'
import { count, dayOf } from '../format.ts'

/** Shows nothing where no files were made yet, or only holders of a key have them. */
export function MonthFiles() {
  const { datasets = [], madeAt } = useAsked((signal) => client.exports.list({ signal }), []).data ?? {}
  const made = datasets.filter(({ files }) => files > 0)
  if (made.length === 0 || !madeAt) return null
  return (
    <section>
      <h2>Month files (Parquet)</h2>
      <div class="scroller" role="region" aria-label="Month files" tabIndex={0}>
        <table>
          <caption class="sr">Month files, made on {dayOf(madeAt, 'UTC')}</caption>
          <thead>
            <tr>
              <th scope="col">Dataset</th>
              <th scope="col">A row is</th>
              {['Rows', 'Files', 'MB'].map((title) => (
                <th key={title} scope="col" class="number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {made.map(({ dataset, row, rows, files, bytes }) => (
              <tr key={dataset}>
                <th scope="row">
                  <a href={`v1/exports/${dataset}`}>{dataset}</a>
                </th>
                <td>{row}</td>
                <td class="number">{count(rows)}</td>
                <td class="number">{count(files)}</td>
                <td class="number">{(bytes / 1e6).toFixed(1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
