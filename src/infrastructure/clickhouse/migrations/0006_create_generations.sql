-- Which generations of this service wrote all of the stored rows. A generation begins where rows gain columns or are
-- decided otherwise; the one of an upgrade is entered by the rebuild that follows it.
CREATE TABLE IF NOT EXISTS generations (
  number  UInt32,
  made_at DateTime DEFAULT now()
) ENGINE = MergeTree
ORDER BY number;
-- SIC codes that EDGAR gives for issuers whose filings show none, with our sector for each.
CREATE TABLE IF NOT EXISTS issuer_sectors (
  issuer_cik UInt64,
  sic        LowCardinality(String),
  sector     LowCardinality(String),
  version    UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY issuer_cik
SETTINGS index_granularity = 256;
