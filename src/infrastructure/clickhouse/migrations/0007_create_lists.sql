-- Transactions as they are served. A trade has one row in `trades`, in its issuer's order and with all that was decided
-- of it; each of its places in a list is a row here: in the feed, its company's list and the profile of each insider.
-- Asking costs little, since the row is one text and the key one column: a page takes 2.8 times SELECT 1 at any depth,
-- where twelve columns and a key of five took 5.5. The feed's, a company's and an insider's rows are read by ranges of the key.

-- An owner of the filing is CFO. `ceo_cfo` says that one of them is either, also in rows of earlier versions.
ALTER TABLE trades ADD COLUMN IF NOT EXISTS cfo Bool AFTER ceo_cfo;
ALTER TABLE staged_filings ADD COLUMN IF NOT EXISTS cfo Bool AFTER ceo_cfo;
ALTER TABLE staged_chiefs ADD COLUMN IF NOT EXISTS cfo Bool AFTER ceo;
ALTER TABLE staged_pointed_titles ADD COLUMN IF NOT EXISTS cfo Bool AFTER ceo;

-- The JSON texts of a transaction, computed when they are read: for rows that the engine moves in bulk. Those of live
-- filings are made in stores/list-rows.ts; a test holds the two equal. Amounts as in JavaScript, which has 15 to 17
-- digits; with more, decimals would be other numbers to one reader than to another.
ALTER TABLE trades ADD COLUMN IF NOT EXISTS transaction String ALIAS toJSONString(CAST(
  (
    id, ticker, company_name, insider_name, insider_title, type, toFloat64(toString(shares)), toFloat64(toString(price)),
    toFloat64(toString(total_value)), formatDateTime(filed_at, '%Y-%m-%dT%H:%i:%SZ'), toString(significance), signals
  ),
  'Tuple(id String, ticker String, companyName String, insiderName String, insiderTitle String, transactionType String,
    shares Float64, pricePerShare Float64, totalValue Float64, filingDate String, significance String,
    signals Array(String))'
));
ALTER TABLE trades ADD COLUMN IF NOT EXISTS detail String ALIAS toJSONString(CAST(
  (
    accession, code, acquired_disposed, transform(direct_indirect, ['D', 'I'], ['direct', 'indirect'], 'unknown'),
    trade_date, isNull(trade_day) ? 'impossible' : 'plausible', toFloat64(toString(shares_after)),
    toString(price_status), filed_basis, toString(plan), toString(plan_source), ambiguous,
    leftPad(toString(issuer_cik), 10, '0'), leftPad(toString(insider_cik), 10, '0'), if(amendment, '4/A', '4'),
    security_title, routine,
    arrayMap(
      (moved, after) -> if(after - moved > 0, floor(moved / (after - moved) * 10000 + 0.5) / 10000, NULL),
      [toFloat64(toString(shares)) * transform(acquired_disposed, ['A', 'D'], [1, -1], NULL)],
      [toFloat64(toString(shares_after))]
    )[1],
    if(startsWith(accession, 'local-'), NULL, concat(
      'https://www.sec.gov/Archives/edgar/data/', toString(issuer_cik), '/', replaceAll(accession, '-', ''), '/',
      accession, '-index.htm'))
  ),
  'Tuple(accessionNumber String, transactionCode String, acquiredDisposed String, ownership String, tradeDate String,
    tradeDateStatus String, sharesOwnedAfter Nullable(Float64), priceStatus String, filingDateBasis String,
    plan10b51 String, planSource String, ambiguousAmendment Bool, issuerCik String, insiderCik String, form String,
    securityTitle String, routine Bool, holdingChange Nullable(Float64), url Nullable(String))'
));

CREATE TABLE IF NOT EXISTS transaction_lists (
  -- The list (`f` the feed, `c` and a company's CIK, `i` and an insider's), a colon, and the place in it: the filing time
  -- in seconds in hexadecimal, the accession number, a space, and the transaction's place in its filing in hexadecimal.
  key           String,
  issuer_cik    UInt64,
  -- The contract's Transaction, and what `detail=full` adds to it.
  transaction   String CODEC(ZSTD(1)),
  detail        String CODEC(ZSTD(1)),
  -- What the profile of a company or an insider sums up, as a JSON array: the other side's CIK and name, the insider's
  -- title, the symbol, the type, the value where it counts, the day. Empty in the feed.
  summed        String CODEC(ZSTD(1)),
  -- What is asked for, in types that cost little to plan with: IN over two texts took 1.5 times SELECT 1 more.
  type          Enum8('other' = 0, 'buy' = 1, 'sell' = 2, 'award' = 3, 'exercise' = 4, 'conversion' = 5,
                  'tax_withholding' = 6, 'gift' = 7, 'issuer_disposition' = 8, 'tender' = 9, 'inheritance' = 10,
                  'small_acquisition' = 11, 'expiration' = 12, 'plan_transaction' = 13, 'voting_trust' = 14, 'swap' = 15),
  code          LowCardinality(String),
  -- Bits of all owners of the filing: 1 director, 2 officer, 4 ten percent owner, 8 other, 16 CEO, 32 CFO.
  roles         UInt8,
  ownership     Enum8('unknown' = 0, 'direct' = 1, 'indirect' = 2),
  plan          Enum8('unknown' = 0, 'no' = 1, 'yes' = 2),
  routine       Bool,
  -- The price is neither suspect nor foreign.
  credible      Bool,
  total_value   Decimal(38, 2),
  shares        Decimal(18, 4),
  significance  Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4),
  -- 1970-01-01 for an impossible one.
  trade_day     Date32,
  version       UInt64,
  deleted       UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (key DESC)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 10737418240, allow_experimental_reverse_key = 1,
  merge_selector_base = 10;

-- Rows that the engine writes in bulk go into `incoming_trades`, which keeps nothing and passes them on to `trades` and,
-- through `listed_trades`, to the lists. Live rows are written into each by this process: planning these views took 8 to
-- 12 ms of an insert.
CREATE TABLE IF NOT EXISTS listed_trades AS trades ENGINE = Null;
CREATE TABLE IF NOT EXISTS incoming_trades AS trades ENGINE = Null;

-- Removed where it is not listed.
CREATE MATERIALIZED VIEW IF NOT EXISTS list_transactions TO transaction_lists AS
SELECT
  concat(
    entry.list, ':', leftPad(hex(toUnixTimestamp(filed_at)), 8, '0'), accession, ' ', leftPad(hex(n), 8, '0')
  ) AS key,
  issuer_cik,
  if(entry.gone, '', transaction) AS transaction,
  if(entry.gone, '', detail) AS detail,
  if(entry.gone OR entry.list = 'f', '', toJSONString((
    leftPad(toString(entry.cik), 10, '0'), entry.name, entry.title, toString(ticker), toString(trade_type),
    if(trade_type IN ('buy', 'sell') AND price_status NOT IN ('suspect', 'foreign'), toString(total_value), ''),
    possible_day
  ))) AS summed,
  if(trade_type = '', 'other', toString(trade_type)) AS type,
  code,
  arrayReduce('groupBitOr', arrayPushBack(owner_roles, toUInt8(ceo * 16 + (cfo OR (ceo_cfo AND NOT ceo)) * 32))) AS roles,
  transform(direct_indirect, ['D', 'I'], ['direct', 'indirect'], 'unknown') AS ownership,
  plan, routine, price_status NOT IN ('suspect', 'foreign') AS credible, total_value, shares, significance,
  ifNull(possible_day, toDate32(0)) AS trade_day, version, toUInt8(entry.gone) AS deleted
FROM (
  SELECT
    *, transaction, detail, type AS trade_type, trade_day AS possible_day,
    arrayJoin(arrayConcat(
      [
        ('f', toUInt64(0), '', '', deleted OR NOT listed),
        (concat('c', leftPad(toString(issuer_cik), 10, '0')), insider_cik, insider_name, toString(insider_title),
          deleted OR NOT listed)
      ],
      arrayMap(
        (cik, title) -> (concat('i', leftPad(toString(cik), 10, '0')), issuer_cik, toString(company_name), title,
          deleted OR NOT has(profile_ciks, cik)),
        owner_ciks, owner_titles
      )
    ) :: Array(Tuple(list String, cik UInt64, name String, title String, gone Bool))) AS entry
  FROM listed_trades
  WHERE path = 'issuer'
);

CREATE MATERIALIZED VIEW IF NOT EXISTS store_trades TO trades AS
SELECT *
FROM incoming_trades
WHERE 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS pass_trades TO listed_trades AS
SELECT *
FROM incoming_trades
WHERE 1;

-- The same for signals: those that hold, newest first, then by id.
ALTER TABLE signals ADD COLUMN IF NOT EXISTS signal String ALIAS toJSONString(CAST(
  (
    id, toString(type), toString(severity), ticker, company_name, description, insider_count,
    toFloat64(toString(total_value)), formatDateTime(detected_at, '%Y-%m-%dT%H:%i:%SZ')
  ),
  'Tuple(id String, type String, severity String, ticker String, companyName String, description String,
    insiderCount UInt32, totalValue Float64, detectedAt String)'
));

CREATE TABLE IF NOT EXISTS signal_list (
  -- The seconds from its detection to the year 2106 in hexadecimal, a space, and the id.
  key         String,
  issuer_cik  UInt64,
  -- The contract's Signal.
  signal      String CODEC(ZSTD(1)),
  type        Enum8('' = 0, 'cluster_buy' = 1, 'cluster_sell' = 2, 'unusual_size' = 3, 'ceo_trade' = 4, 'reversal' = 5),
  severity    Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4),
  total_value Decimal(38, 2),
  version     UInt64,
  deleted     UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY key
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 10737418240;

-- Rows that are here already, once. What earlier versions kept beside them in `trades` and `signals`, in the order of the
-- lists, stays unread until the next rebuild.
INSERT INTO listed_trades SELECT * FROM trades FINAL WHERE path = 'issuer' SETTINGS max_execution_time = 0;
INSERT INTO signal_list
SELECT
  concat(leftPad(hex(4294967295 - toUnixTimestamp(detected_at)), 8, '0'), ' ', id), issuer_cik, signal, toString(type),
  severity, total_value, version, 0
FROM signals FINAL
WHERE path = 'issuer' AND toUnixTimestamp(ended_at) = 0
SETTINGS max_execution_time = 0;
