-- Detected signals in the order they are served.
CREATE TABLE IF NOT EXISTS signals (
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
  version       UInt64,
  deleted       UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (detected_at DESC, id)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 10737418240, allow_experimental_reverse_key = 1;
