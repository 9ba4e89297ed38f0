-- Rows of one month file on their way into Parquet, of those files that are made from filings themselves.
CREATE TABLE IF NOT EXISTS staged_export_rows (
  filed_at  DateTime('UTC'),
  accession String,
  -- The place in the filing.
  n         UInt32,
  -- An object of the columns.
  content   String
) ENGINE = MergeTree
ORDER BY (filed_at DESC, accession DESC, n)
SETTINGS index_granularity = 4096, allow_experimental_reverse_key = 1;
