// Numbers of the advisory locks in PostgreSQL, all in one file so that no two uses share one.

export const ADVISORY_LOCKS = {
  /** One process migrates the stores at a time, PostgreSQL and ClickHouse alike. */
  migration: 724_001,
  /** One transaction records filings at a time. */
  recording: 724_002,
  /** One process writes ClickHouse at a time. */
  projection: 724_003,
  /** One process asks EDGAR at a time, because its limit counts all processes together. */
  edgar: 724_004,
  /** One process at a time chooses which delivery is tried at a failing address, or two would each choose one. */
  trials: 724_005,
} as const
