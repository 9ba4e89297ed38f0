-- Open-market trades by day, week, month and quarter, of all companies and of each sector. Twenty years of months are
-- 240 rows; summed up from the feed they would be millions.

-- The CIK of the insider, where the transaction is an open-market trade: listed, bought or sold, at a credible price
-- above 0, and not by the company itself; else 0. Rows of earlier versions say it from their JSON.
ALTER TABLE transaction_lists ADD COLUMN IF NOT EXISTS trader UInt64 DEFAULT if(
  type IN ('buy', 'sell') AND credible AND JSONExtractFloat(transaction, 'pricePerShare') > 0
    AND JSONExtractString(detail, 'insiderCik') != JSONExtractString(detail, 'issuerCik'),
  toUInt64OrZero(JSONExtractString(detail, 'insiderCik')), 0
);

CREATE TABLE IF NOT EXISTS market_periods (
  -- The day that puts a trade into a period: of the filing, in New York, or of the trade.
  by       Enum8('filed' = 0, 'traded' = 1),
  interval Enum8('day' = 0, 'week' = 1, 'month' = 2, 'quarter' = 3),
  -- Empty for all companies together.
  sector   LowCardinality(String),
  -- The first day of the period.
  start    Date32,
  -- A JSON array of arrays: 'buy' or 'sell', the classes in which a person traded, one of these classes, persons, trades,
  -- shares, value. Classes are bits, two for each `plan`: not routine, routine. So persons are counted once whatever
  -- classes are asked for.
  figures  String CODEC(ZSTD(1)),
  version  UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (by, interval, sector, start)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 10737418240;

-- Days of which trades changed since their periods were made. Periods with such a day are summed up from the feed.
CREATE TABLE IF NOT EXISTS market_changes (
  by      Enum8('filed' = 0, 'traded' = 1),
  day     Date32,
  version UInt64,
  deleted UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (by, day)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 10737418240;

-- The sectors of issuers by which the periods were made.
CREATE TABLE IF NOT EXISTS market_sectors (
  issuer_cik UInt64,
  sector     LowCardinality(String),
  version    UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY issuer_cik
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 10737418240;

-- What is listed already is made after the next start.
INSERT INTO market_changes (by, day, version, deleted)
SELECT DISTINCT
  'filed', toDate32(toDateTime(reinterpretAsUInt32(reverse(unhex(substring(key, 3, 8)))), 'America/New_York')), 0, 0
FROM transaction_lists
WHERE key >= 'f:' AND key < 'f;' AND type IN ('buy', 'sell')
SETTINGS max_execution_time = 0;
INSERT INTO market_changes (by, day, version, deleted)
SELECT DISTINCT 'traded', trade_day, 0, 0
FROM transaction_lists
WHERE key >= 'f:' AND key < 'f;' AND type IN ('buy', 'sell') AND trade_day > toDate32(0)
SETTINGS max_execution_time = 0;
