-- Closing prices that the operator brings, and what is computed of them when they are loaded.

-- A row for a share and year: by day, as numbers since 1970-01-01.
CREATE TABLE IF NOT EXISTS prices (
  symbol  String,
  year    UInt16,
  days    Array(Int32) CODEC(Delta, ZSTD(1)),
  closes  Array(Float64) CODEC(ZSTD(1)),
  version UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (symbol, year)
SETTINGS index_granularity = 16;

-- One row, and none where the operator brought no prices.
CREATE TABLE IF NOT EXISTS price_state (
  key       UInt8,
  -- The symbol that averages are compared with; empty for none.
  benchmark String,
  -- The averages after the signals of each rule, in JSON.
  rules     String,
  version   UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY key;

-- A Parquet file on its way in, where it is sent to a server; the lines of CSV are in staged_lines.
CREATE TABLE IF NOT EXISTS staged_price_rows (
  ticker Nullable(String),
  date   Nullable(String),
  close  Nullable(String)
) ENGINE = MergeTree
ORDER BY tuple();

-- The rows of a file, checked; `problem` says why a row can't be used.
CREATE TABLE IF NOT EXISTS staged_prices (
  line    UInt64,
  symbol  String,
  day     Int32,
  close   Float64,
  problem String
) ENGINE = MergeTree
ORDER BY (symbol, day, line);
