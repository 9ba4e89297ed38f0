-- The SEC's insider transactions data sets: which quarters are loaded, and which filings by them. Their zips are kept as
-- files. A filing's own document, where it comes, takes the place of what its set said.
CREATE TABLE data_sets (
  quarter    text PRIMARY KEY,
  sha256     text NOT NULL,
  source     text NOT NULL,
  status     text NOT NULL CHECK (status IN ('loading', 'loaded')),
  result     jsonb,
  -- Issuers to judge again, on record before the first row is written: a load cut short finds them when it is run again.
  owed       bigint[] NOT NULL DEFAULT '{}',
  started_at timestamptz NOT NULL DEFAULT now(),
  loaded_at  timestamptz
);

-- All that the filing's rows in ClickHouse are found by, to take them back.
CREATE TABLE data_set_filings (
  accession  text PRIMARY KEY,
  quarter    text NOT NULL,
  form       text NOT NULL,
  issuer_cik bigint NOT NULL,
  filed_at   timestamptz NOT NULL,
  owner_ciks bigint[] NOT NULL,
  symbols    text[] NOT NULL,
  -- 1 for a single row, else the rows' numbers in the set.
  places     bigint[] NOT NULL
);
CREATE INDEX data_set_filings_quarter ON data_set_filings USING brin (quarter);

-- Filings that a set published anew has no more, or otherwise, as it had them: until all that follows from it is written.
CREATE TABLE data_set_gone (LIKE data_set_filings INCLUDING DEFAULTS);
