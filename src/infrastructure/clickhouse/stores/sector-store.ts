// SectorStore on ClickHouse: sectors by the SIC codes that EDGAR gives for issuers whose filings show none.
import type { SectorStore } from '../../../application/ports/sectors.ts'
import { cikNumber, cikOf, type Cik } from '../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql } from '../connection/sql.ts'

export class ClickHouseSectorStore implements SectorStore {
  readonly #store: ClickHouse

  constructor(store: ClickHouse) {
    this.#store = store
  }

  // Without FINAL, which would be slow here. An issuer of which a replaced row shows a SIC is left out until ClickHouse
  // has merged that row away.
  async issuersWithoutSic(): Promise<Cik[]> {
    const issuers = await this.#store.rows<{ cik: Cik }>(sql`
      SELECT key AS cik
      FROM directory
      WHERE kind = 'issuer' AND NOT deleted
      GROUP BY key
      HAVING countIf(sic NOT IN ('', '0000') AND NOT endsWith(sic, '[0000]')) = 0
      ORDER BY max(filed_at) DESC, key`)
    return issuers.map(({ cik }) => cik)
  }

  async stored(): Promise<IssuerSector[]> {
    const sectors = await this.#store.rows<{ issuer: number; sic: string; sector: string }>(
      sql`SELECT issuer_cik AS issuer, sic, sector FROM issuer_sectors FINAL`,
    )
    return sectors.map(({ issuer, sic, sector }) => ({ issuerCik: cikOf(issuer), sic, sector }))
  }

  async write(sectors: IssuerSector[], version: number): Promise<void> {
    const rows = sectors.map(({ issuerCik, sic, sector }) => ({
      issuer_cik: cikNumber(issuerCik),
      sic,
      sector,
      version,
    }))
    await this.#store.insertBatches('issuer_sectors', rows)
  }
}

type IssuerSector = Awaited<ReturnType<SectorStore['stored']>>[number]
