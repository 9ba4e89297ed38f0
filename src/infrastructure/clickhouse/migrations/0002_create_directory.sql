-- Who is known: a row per filing, of every form, for its issuer, each of its owners and each symbol typed in it. The newest
-- row of a key is the present.
CREATE TABLE IF NOT EXISTS directory (
  kind       Enum8('issuer' = 0, 'owner' = 1, 'symbol' = 2),
  -- The CIK of ten digits, or the symbol.
  key        String,
  filed_at   DateTime('UTC'),
  accession  String,
  issuer_cik UInt64,
  -- The company's or the owner's, as in this filing.
  name       LowCardinality(String),
  -- From here on only of issuers. SIC and office are empty where the header gives none; bare documents have no header.
  form       LowCardinality(String),
  symbols    Array(LowCardinality(String)),
  owner_ciks Array(UInt64),
  sic        LowCardinality(String),
  office     LowCardinality(String),
  sector     LowCardinality(String),
  version    UInt64,
  deleted    UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (kind, key, filed_at DESC, accession DESC)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 10737418240, allow_experimental_reverse_key = 1,
  merge_selector_base = 10;

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
