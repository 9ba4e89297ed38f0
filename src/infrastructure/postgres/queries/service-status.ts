// The query of PostgreSQL for the public status: whether EDGAR is followed, how complete the newest days are, which
// quarters are loaded, and which jobs run. Arguments of jobs, error messages and addresses are not public.
import { FILLING, OTHER_SOURCE, type RecordedStatus } from '../../../application/queries/service-status.ts'
import { edgarContact } from '../filings/edgar-contact.ts'
import { ingestionLag } from '../filings/ingestion-stats.ts'
import { rows, type Pool } from '../pool.ts'

type WorkProgress = NonNullable<RecordedStatus['filling']>
type Row = Omit<RecordedStatus, 'follows' | 'lagSeconds' | 'newestAcceptedAt' | 'filling'> & { filling: string | null }

export async function serviceStatus(pool: Pool): Promise<RecordedStatus> {
  const [{ followed }, lag, [row]] = await Promise.all([
    edgarContact(pool),
    ingestionLag(pool),
    rows<Row>(
      pool,
      `SELECT
         EXISTS (SELECT FROM source_positions WHERE source = '${OTHER_SOURCE}') AS invented,
         (SELECT position FROM source_positions WHERE source = '${FILLING}') AS filling,
         ARRAY(SELECT quarter FROM data_sets WHERE status = 'loaded' ORDER BY quarter) AS quarters,
         (SELECT min(day)::text FROM index_days) AS "firstDay",
         (SELECT coalesce(json_agg(newest ORDER BY date DESC), '[]')
          FROM (
            SELECT day AS date, listed AS filed, known AS listed,
              (SELECT json_agg(json_build_object('form', form, 'filed', each->'listed', 'listed', each->'known')
                 ORDER BY form)
               FROM jsonb_each(forms) AS counts (form, each)) AS forms
            FROM index_days
            ORDER BY day DESC
            LIMIT 10) AS newest) AS days,
         (SELECT coalesce(json_agg(json_build_object('kind', kind, 'status', status, 'done', done, 'total', total,
              'pace', pace)
            ORDER BY status = 'queued', kind = 'sectors', id), '[]')
          FROM (
            SELECT *
            FROM jobs
            WHERE status IN ('queued', 'running', 'cancelling')
            ORDER BY status = 'queued', kind = 'sectors', id
            LIMIT 20) AS unfinished) AS jobs,
         (SELECT json_build_object('done', done, 'total', total, 'pace', pace)
          FROM jobs
          WHERE kind = 'rebuild' AND status IN ('queued', 'running', 'cancelling')
          ORDER BY status = 'queued', id
          LIMIT 1) AS rebuild`,
    ),
  ])
  const { filling, ...rest } = row!
  return {
    ...rest,
    follows: followed,
    lagSeconds: lag.acceptedToVisible,
    newestAcceptedAt: lag.newestAcceptedAt,
    // An earlier version noted no pace.
    filling: filling === null ? null : { pace: null, ...(JSON.parse(filling) as Omit<WorkProgress, 'pace'>) },
  }
}
