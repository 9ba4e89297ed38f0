-- The trades, sorted once per way of asking: for the feed, by issuer, by insider. Skip indexes and projections do not pay: an
-- issuer's page costs 3 ms from its own copy, 6 to 50 ms from the feed's. The copies share a table, so that a trade is
-- there in all of them or in none, and one insert (5 ms, whatever its size up to thousands of rows) does for three.
-- Rows are replaced, not updated: the highest version of a key counts, and FINAL reads it, which within a window in time
-- costs no more than plain rows. Keys descend as the answers do, else FINAL can't read newest first. No partitions and
-- compact parts: each part opened costs 0.18 ms. Merges wait for more parts than by default (5): filing by filing, the engine
-- rewrote 10,000 rows for each and kept a processor busy; so it is 250, and as many parts (6) stand on average.
-- The feed has what is listed, an insider what counts in their profile, an issuer all that was filed, with what was decided.
CREATE TABLE IF NOT EXISTS trades (
  path              Enum8('feed' = 0, 'issuer' = 1, 'insider' = 2),
  -- 0, the issuer's CIK or the owner's CIK.
  subject           UInt64,
  filed_at          DateTime('UTC'),
  accession         String,
  n                 UInt32,
  id                String,
  issuer_cik        UInt64,
  ticker            LowCardinality(String),
  company_name      LowCardinality(String),
  insider_name      String,
  insider_title     LowCardinality(String),
  type              LowCardinality(String),
  shares            Decimal(18, 4),
  price             Decimal(18, 4),
  total_value       Decimal(38, 2),
  significance      Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4),
  signals           Array(String),
  ceo               Bool,
  ceo_cfo           Bool,
  price_status      Enum8('as_filed' = 1, 'zero' = 2, 'footnote_only' = 3, 'suspect' = 4, 'foreign' = 5),
  code              LowCardinality(String),
  acquired_disposed LowCardinality(String),
  direct_indirect   LowCardinality(String),
  trade_date        String,
  trade_day         Nullable(Date32),
  shares_after      Nullable(Decimal(18, 4)),
  filed_basis       LowCardinality(String),
  plan              Enum8('unknown' = 0, 'no' = 1, 'yes' = 2),
  plan_source       Enum8('none' = 0, 'box' = 1, 'footnote' = 2),
  -- Of a 4/A that fits several originals equally well, and so supersedes nothing.
  ambiguous         Bool,
  -- In the insider's copy: the roles of this owner.
  owner_title       LowCardinality(String),
  -- From here on only in the issuer's copy.
  insider_cik       UInt64,
  listed            Bool,
  duplicate_of      String,
  superseded_by     String,
  superseded_at     DateTime('UTC'),
  profile_ciks      Array(UInt64),
  price_filed       Nullable(Decimal(18, 4)),
  security_title    LowCardinality(String),
  foreign           Bool,
  symbols           Array(LowCardinality(String)),
  amendment         Bool,
  original_date     String,
  filed_day         Date32,
  owner_ciks        Array(UInt64),
  owner_names       Array(String),
  owner_titles      Array(String),
  -- Bits: 1 director, 2 officer, 4 ten percent owner, 8 other.
  owner_roles       Array(UInt8),
  -- The highest severity among its signals; low where it has none.
  signalled         Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4) DEFAULT 'low',
  -- The insider traded in this month of the calendar in each of the three years before.
  routine           Bool,
  -- All of the row in one JSON text, for the projection: 40 columns cost 6 ms more to ask for. Empty where it was not made.
  whole             String CODEC(ZSTD(1)),
  version           UInt64,
  deleted           UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (path, subject, filed_at DESC, accession DESC, n DESC)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 10737418240, allow_experimental_reverse_key = 1,
  merge_selector_base = 10;
