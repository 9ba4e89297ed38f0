-- Notices of proposed sales (Form 144), and which sales count for them.

-- One row for a notice, newest first.
CREATE TABLE IF NOT EXISTS notices (
  -- The seconds from its filing to the year 2106 in hexadecimal, a space, and the accession number.
  key         String,
  issuer_cik  UInt64,
  seller_cik  UInt64,
  form        LowCardinality(String),
  plan        Bool,
  -- In dollars, of all lines; null where one is suspect or can't be read.
  value       Nullable(Decimal(38, 2)),
  -- Today's state, until the day after which nothing can count any more, and the state from then on.
  state       LowCardinality(String),
  final_from  Date32,
  final_state LowCardinality(String),
  -- The notice as read with what was decided of it, in JSON.
  whole       String CODEC(ZSTD(1)),
  version     UInt64,
  deleted     UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY key
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 1099511627776;

-- Sales that count for notices, by the id of their row.
CREATE TABLE IF NOT EXISTS notice_sales (
  sale_id         String,
  -- Of the notice.
  accession       String,
  units           Decimal(18, 4),
  -- Days on which the seller says a plan was adopted; empty where the notice names none.
  plan_adopted_on Array(Date32),
  version         UInt64,
  deleted         UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (sale_id, accession)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 1099511627776;
