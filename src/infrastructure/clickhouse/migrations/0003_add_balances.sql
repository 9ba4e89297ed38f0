-- What filings say of holdings, from which positions are made.
-- breaking: filings are stored with their balances, which earlier versions leave out

-- A row per filing of every form, in its issuer's order. Those of an owner are found by the issuers that `directory`
-- has of them, since positions need what other owners of these issuers report, too.
CREATE TABLE IF NOT EXISTS balances (
  issuer_cik   UInt64,
  accession    String,
  filed_at     DateTime('UTC'),
  owner_ciks   Array(UInt64),
  -- The day of filing is only made out from a signature, the period or another date.
  estimated    Bool,
  -- 1970 for one that the SEC has not withdrawn.
  withdrawn_at DateTime('UTC'),
  -- The evidence of the filing, as the domain made it, in JSON.
  content      String CODEC(ZSTD(1)),
  version      UInt64,
  deleted      UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (issuer_cik, accession)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1099511627776, merge_selector_base = 10;
