-- breaking: an earlier version stages data sets in tables that are no longer there
-- A data set on its way in: its lines typed and checked, then put together by filing, in the order of issuers. What is
-- decided of them is decided as of documents, so nothing else of them is staged. The tables staged_rows, staged_verdicts,
-- staged_row_facts and staged_trades stay, empty: earlier migrations change them, and each can be repeated.

DROP TABLE IF EXISTS staged_owners;

DROP TABLE IF EXISTS staged_titles;

DROP TABLE IF EXISTS staged_pointed_titles;

DROP TABLE IF EXISTS staged_chiefs;

DROP TABLE IF EXISTS staged_symbols;

DROP TABLE IF EXISTS staged_tickers;

DROP TABLE IF EXISTS staged_amendment_words;

DROP TABLE IF EXISTS staged_suspect_shares;

DROP TABLE IF EXISTS staged_times;

DROP TABLE IF EXISTS staged_known;

DROP TABLE IF EXISTS staged_withdrawn;

-- As the lines of the other files, in `staged_details`, with what tells where the filing belongs.
DROP TABLE IF EXISTS staged_submissions;

CREATE TABLE IF NOT EXISTS staged_submissions (
  accession  String,
  form       LowCardinality(String),
  -- FILING_DATE, or empty.
  filed_day  String,
  issuer_cik UInt64,
  symbol     String,
  content    String,
  problem    String,
  line       String
) ENGINE = MergeTree
ORDER BY accession
SETTINGS index_granularity = 4096;

DROP TABLE IF EXISTS staged_filings;

CREATE TABLE IF NOT EXISTS staged_filings (
  quarter     LowCardinality(String),
  issuer_cik  UInt64,
  accession   String,
  form        LowCardinality(String),
  filed_day   String,
  symbol      String,
  owner_ciks  Array(UInt64),
  -- Lines of NONDERIV_TRANS, rejected ones too: a filing keeps its ids when they come to be readable.
  row_count   UInt32,
  -- NONDERIV_TRANS_SK of those that can be used.
  places      Array(UInt32),
  -- The set has all of its files.
  has_details Bool,
  -- No line of it was rejected.
  complete    Bool,
  line_count  UInt32,
  -- Its lines, as in `filing_details`.
  content     String CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY quarter
ORDER BY (issuer_cik, accession)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1099511627776;
