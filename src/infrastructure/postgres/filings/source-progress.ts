// The progress of each source: how far it was read, and how complete each day is.
import type { SourceProgress } from '../../../application/ports/filings.ts'
import type { DateText } from '../../../domain/shared/identifiers.ts'
import { rows, type Pool } from '../pool.ts'

export class PostgresSourceProgress implements SourceProgress {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async position(source: string): Promise<string | null> {
    const [found] = await rows<{ position: string }>(
      this.#pool,
      'SELECT position FROM source_positions WHERE source = $1',
      [source],
    )
    return found?.position ?? null
  }

  async move(source: string, position: string): Promise<void> {
    await rows(
      this.#pool,
      `INSERT INTO source_positions (source, position)
       VALUES ($1, $2)
       ON CONFLICT (source) DO UPDATE
         SET position = $2, moved_at = now()`,
      [source, position],
    )
  }

  async checked(day: DateText, listed: number, known: number): Promise<void> {
    await rows(
      this.#pool,
      `INSERT INTO index_days (day, listed, known)
       VALUES ($1, $2, $3)
       ON CONFLICT (day) DO UPDATE
         SET listed = $2, known = $3, checked_at = now()`,
      [day, listed, known],
    )
  }

  async incomplete(since: DateText): Promise<DateText[]> {
    const days = await rows<{ day: DateText }>(
      this.#pool,
      'SELECT day::text FROM index_days WHERE day >= $1 AND known < listed ORDER BY day',
      [since],
    )
    return days.map((row) => row.day)
  }
}
