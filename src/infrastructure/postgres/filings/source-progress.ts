// How far each source of filings was read, and for each day of EDGAR's index, how many of its filings are recorded.
import type { FormCounts, IncompleteDay, MissingFilings, SourceProgress } from '../../../application/ports/filings.ts'
import type { DateText } from '../../../domain/shared/identifiers.ts'
import { rows, storableText, type Pool } from '../pool.ts'

const FORM_4 = /^4(?:\/A)?$/
const FORMS_3_AND_5 = /^[35](?:\/A)?$/

export class PostgresSourceProgress implements SourceProgress {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async position(source: string): Promise<string | null> {
    const [row] = await rows<{ position: string }>(
      this.#pool,
      'SELECT position FROM source_positions WHERE source = $1',
      [source],
    )
    return row?.position ?? null
  }

  async move(source: string, position: string): Promise<void> {
    await rows(
      this.#pool,
      `INSERT INTO source_positions (source, position)
       VALUES ($1, $2)
       ON CONFLICT (source) DO UPDATE
         SET position = $2, moved_at = now()`,
      [source, storableText(position)],
    )
  }

  async checked(day: DateText, forms: FormCounts, missing: MissingFilings): Promise<void> {
    const counts = Object.entries(forms)
    const sum = (name: 'listed' | 'known', isCounted: RegExp) =>
      counts.reduce((total, [form, each]) => total + (isCounted.test(form) ? each[name] : 0), 0)
    await rows(
      this.#pool,
      `INSERT INTO index_days (day, listed, known, other_listed, other_known, forms, missing)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (day) DO UPDATE
         SET listed = $2, known = $3, other_listed = $4, other_known = $5, forms = $6, missing = $7,
           checked_at = now()`,
      [
        day,
        sum('listed', FORM_4),
        sum('known', FORM_4),
        sum('listed', FORMS_3_AND_5),
        sum('known', FORMS_3_AND_5),
        JSON.stringify(forms),
        JSON.stringify(missing),
      ],
    )
  }

  incomplete(): Promise<IncompleteDay[]> {
    return rows<IncompleteDay>(
      this.#pool,
      `SELECT day::text, forms, missing
       FROM index_days
       WHERE forms IS NULL OR EXISTS (
         SELECT FROM jsonb_each(forms) AS form
         WHERE (value ->> 'known')::integer < (value ->> 'listed')::integer)
       ORDER BY day`,
    )
  }
}
