-- What the SEC's data sets say of a filing, all of it: one JSON text with the lines of its eight files. One row answers
-- for one filing, so granules are small.
CREATE TABLE IF NOT EXISTS filing_details (
  filed_at   DateTime('UTC'),
  accession  String,
  issuer_cik UInt64,
  -- {"basis": of the filing time, "complete": no line of it was rejected, "lines": [{"file": ..., column: text, ...}]}
  content    String CODEC(ZSTD(1)),
  version    UInt64,
  deleted    UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (filed_at, accession)
SETTINGS index_granularity = 32, min_bytes_for_wide_part = 10737418240, merge_selector_base = 10;

-- The lines on their way in, as they are stored: an object of the columns that are not empty.
ALTER TABLE staged_submissions ADD COLUMN IF NOT EXISTS content String;
ALTER TABLE staged_owners ADD COLUMN IF NOT EXISTS content String;
ALTER TABLE staged_rows ADD COLUMN IF NOT EXISTS content String;
CREATE TABLE IF NOT EXISTS staged_details (
  accession String,
  file      LowCardinality(String),
  -- What no other line of the filing and file has: the surrogate key, or the footnote's id; of signatures, which repeat,
  -- the name.
  key       String,
  content   String,
  problem   String,
  line      String
) ENGINE = MergeTree
ORDER BY (accession, file, key)
SETTINGS index_granularity = 4096;
