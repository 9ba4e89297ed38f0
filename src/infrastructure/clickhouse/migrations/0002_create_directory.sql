-- Who is known: one row per filing and owner, issuer or typed symbol, of every form. The newest row is the present.
CREATE TABLE IF NOT EXISTS filing_owners (
  owner_cik  UInt64,
  filed_at   DateTime('UTC'),
  accession  String,
  name       String,
  issuer_cik UInt64,
  version    UInt64,
  deleted    UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (owner_cik, filed_at DESC, accession DESC)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 10737418240, allow_experimental_reverse_key = 1;

CREATE TABLE IF NOT EXISTS issuer_filings (
  issuer_cik   UInt64,
  filed_at     DateTime('UTC'),
  accession    String,
  form         LowCardinality(String),
  company_name LowCardinality(String),
  symbols      Array(LowCardinality(String)),
  -- Empty where the header gives none; only full submissions have one.
  sic          LowCardinality(String),
  office       LowCardinality(String),
  sector       LowCardinality(String),
  version      UInt64,
  deleted      UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (issuer_cik, filed_at DESC, accession DESC)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 10737418240, allow_experimental_reverse_key = 1;

CREATE TABLE IF NOT EXISTS symbol_filings (
  symbol     String,
  filed_at   DateTime('UTC'),
  accession  String,
  issuer_cik UInt64,
  version    UInt64,
  deleted    UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (symbol, filed_at DESC, accession DESC)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 10737418240, allow_experimental_reverse_key = 1;

-- The SEC's list, swapped whole when a new one is loaded.
CREATE TABLE IF NOT EXISTS company_list (
  ticker     String,
  place      UInt32,
  issuer_cik UInt64,
  name       String,
  exchange   LowCardinality(String)
) ENGINE = MergeTree
ORDER BY ticker
SETTINGS index_granularity = 256;
