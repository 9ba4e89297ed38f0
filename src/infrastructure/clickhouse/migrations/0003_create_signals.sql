-- Signals, sorted as they are asked for: the list in the order it is served, without those that ended, and by issuer with all
-- that is known of each. Both copies of a signal go in one insert, as those of a trade do.
CREATE TABLE IF NOT EXISTS signals (
  path          Enum8('list' = 0, 'issuer' = 1),
  -- 0, or the issuer's CIK.
  subject       UInt64,
  detected_at   DateTime('UTC'),
  id            String,
  type          LowCardinality(String),
  severity      Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4),
  issuer_cik    UInt64,
  ticker        LowCardinality(String),
  company_name  LowCardinality(String),
  description   String,
  insider_count UInt32,
  total_value   Decimal(38, 2),
  -- From here on only in the issuer's copy: the signal whole, as the domain made it, in JSON, and by which rules.
  changed_at    DateTime('UTC'),
  -- 1970 for one that holds.
  ended_at      DateTime('UTC'),
  whole         String CODEC(ZSTD(1)),
  rules         LowCardinality(String),
  version       UInt64,
  deleted       UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (path, subject, detected_at DESC, id)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 10737418240, allow_experimental_reverse_key = 1;
