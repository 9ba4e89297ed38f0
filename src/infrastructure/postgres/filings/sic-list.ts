// The list of issuers whose filings show no SIC (industry code), with EDGAR's answer for each.
import type { SicList } from '../../../application/ports/sectors.ts'
import { cikNumber, cikOf, type Cik } from '../../../domain/shared/identifiers.ts'
import { rows, storableText, type Pool } from '../pool.ts'

export class PostgresSicList implements SicList {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async add(issuers: Cik[]): Promise<number> {
    const added = await rows(
      this.#pool,
      `INSERT INTO issuer_sic (issuer_cik)
       SELECT issuer
       FROM unnest($1::bigint[]) WITH ORDINALITY AS given (issuer, place)
       WHERE NOT EXISTS (SELECT FROM issuer_sic WHERE issuer_cik = issuer)
       ORDER BY place
       ON CONFLICT DO NOTHING
       RETURNING 1`,
      [issuers.map(cikNumber)],
    )
    return added.length
  }

  async lacks(issuers: Cik[]): Promise<boolean> {
    const [missing] = await rows(
      this.#pool,
      `SELECT FROM unnest($1::bigint[]) AS issuer
       WHERE NOT EXISTS (SELECT FROM issuer_sic WHERE issuer_cik = issuer)
       LIMIT 1`,
      [issuers.map(cikNumber)],
    )
    return missing !== undefined
  }

  async due(limit: number): Promise<{ issuerCik: Cik; failures: number }[]> {
    const due = await rows<{ issuer: number; failures: number }>(
      this.#pool,
      `SELECT issuer_cik AS issuer, failures
       FROM issuer_sic
       WHERE sic IS NULL
         AND next_ask_at <= now()
       ORDER BY next_ask_at, place
       LIMIT $1`,
      [limit],
    )
    return due.map(({ issuer, failures }) => ({ issuerCik: cikOf(issuer), failures }))
  }

  async found({ issuerCik, sic }: { issuerCik: Cik; sic: string }): Promise<void> {
    await rows(
      this.#pool,
      `UPDATE issuer_sic
       SET sic = $2, answered_at = now(), failures = 0, problem = NULL
       WHERE issuer_cik = $1`,
      [cikNumber(issuerCik), sic],
    )
  }

  async without(issuer: Cik, reason: string, inSeconds: number): Promise<void> {
    await this.#putOff(issuer, reason, inSeconds, 'answered_at = now(), failures = 0')
  }

  async failed(issuer: Cik, reason: string, inSeconds: number): Promise<void> {
    await this.#putOff(issuer, reason, inSeconds, 'failures = failures + 1')
  }

  async known(): Promise<{ issuerCik: Cik; sic: string }[]> {
    const answers = await rows<{ issuer: number; sic: string }>(
      this.#pool,
      'SELECT issuer_cik AS issuer, sic FROM issuer_sic WHERE sic IS NOT NULL',
    )
    return answers.map(({ issuer, sic }) => ({ issuerCik: cikOf(issuer), sic }))
  }

  async #putOff(issuer: Cik, reason: string, inSeconds: number, change: string): Promise<void> {
    await rows(
      this.#pool,
      `UPDATE issuer_sic
       SET problem = $2, next_ask_at = now() + make_interval(secs => $3), ${change}
       WHERE issuer_cik = $1`,
      [cikNumber(issuer), storableText(reason), inSeconds],
    )
  }
}

/** Counts of issuers whose filings show no SIC: still to be looked up, with one at EDGAR, without one there too. */
interface SicCounts {
  waiting: number
  found: number
  none: number
}

export async function sicCounts(pool: Pool): Promise<SicCounts> {
  const [counts] = await rows<SicCounts>(
    pool,
    `SELECT count(*) FILTER (WHERE sic IS NOT NULL) AS found,
       count(*) FILTER (WHERE sic IS NULL AND answered_at IS NOT NULL AND failures = 0) AS none,
       count(*) FILTER (WHERE sic IS NULL AND (answered_at IS NULL OR failures > 0)) AS waiting
     FROM issuer_sic`,
  )
  return counts!
}
