// The numbers of the advisory locks in PostgreSQL, in one file so that no two locks share a number.

export const ADVISORY_LOCKS = {
  /** One process at a time migrates PostgreSQL or creates the tables of ClickHouse. */
  migration: 724_001,
  /** One transaction records filings at a time. */
  recording: 724_002,
  /** One process writes ClickHouse at a time. */
  projection: 724_003,
  /** One process requests from EDGAR at a time: EDGAR's limit counts all processes of an address together. */
  edgar: 724_004,
  /** One process at a time chooses which delivery to try at a failing address: two would choose two. */
  trials: 724_005,
} as const
