-- The SEC's insider transactions data sets: which quarters are loaded, and which filings by them. Their zips are kept
-- as files. A filing's own document, once recorded, replaces what its data set had.
CREATE TABLE data_sets (
  quarter    text PRIMARY KEY,
  sha256     text NOT NULL,
  source     text NOT NULL,
  status     text NOT NULL CHECK (status IN ('loading', 'loaded')),
  result     jsonb,
  -- Issuers to reconcile again, stored before the first row is written, so that a repeated load finds them.
  owed       bigint[] NOT NULL DEFAULT '{}',
  started_at timestamptz NOT NULL DEFAULT now(),
  loaded_at  timestamptz
);

-- The keys of the filing's rows in ClickHouse, to retract them.
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

-- Filings that a new edition of a data set lacks or has changed, as they were before: kept until all rows that follow
-- are written.
CREATE TABLE data_set_gone (LIKE data_set_filings INCLUDING DEFAULTS);
