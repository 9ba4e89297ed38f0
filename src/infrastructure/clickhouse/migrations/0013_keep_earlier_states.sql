-- What was shown at earlier instants, so that questions can be answered as of any of them. A row carries what it said
-- before, and what is shown no more because an amendment superseded it stays in lists of its own: those of the feed, a
-- company and an insider under a capital letter (`F`, `C`, `I`), which no present question reads. Both are complete
-- once all rows were written by this version: a rebuild follows the upgrade.

DROP VIEW IF EXISTS list_transactions;
DROP VIEW IF EXISTS store_trades;
DROP VIEW IF EXISTS pass_trades;
DROP VIEW IF EXISTS list_filings;
DROP VIEW IF EXISTS store_directory;

-- Significance and labels that it had before, oldest first: at a time those of the first with a later `until`, in
-- seconds, else the present ones. Empty for nine rows in ten.
ALTER TABLE trades ADD COLUMN IF NOT EXISTS earlier Array(Tuple(
  until UInt32, significance Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4), signals Array(String)));
ALTER TABLE listed_trades ADD COLUMN IF NOT EXISTS earlier Array(Tuple(
  until UInt32, significance Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4), signals Array(String)));
ALTER TABLE incoming_trades ADD COLUMN IF NOT EXISTS earlier Array(Tuple(
  until UInt32, significance Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4), signals Array(String)));
ALTER TABLE transaction_lists ADD COLUMN IF NOT EXISTS earlier Array(Tuple(
  until UInt32, significance Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4), signals Array(String)));
-- When it was superseded; 1970 for what is not.
ALTER TABLE transaction_lists ADD COLUMN IF NOT EXISTS superseded_at DateTime('UTC');
-- The day of filing is only made out from a signature, the period or another date, and may be too early.
ALTER TABLE transaction_lists ADD COLUMN IF NOT EXISTS estimated Bool;
ALTER TABLE directory ADD COLUMN IF NOT EXISTS estimated Bool;
ALTER TABLE incoming_directory ADD COLUMN IF NOT EXISTS estimated Bool;

CREATE MATERIALIZED VIEW IF NOT EXISTS list_transactions TO transaction_lists AS
SELECT
  concat(
    entry.list, ':', leftPad(hex(toUnixTimestamp(filed_at)), 8, '0'), accession, ' ', leftPad(hex(n), 8, '0')
  ) AS key,
  issuer_cik,
  if(entry.gone, '', transaction) AS transaction,
  if(entry.gone, '', detail) AS detail,
  if(entry.gone OR lower(entry.list) = 'f', '', toJSONString((
    leftPad(toString(entry.cik), 10, '0'), entry.name, entry.title, toString(ticker), toString(trade_type),
    if(trade_type IN ('buy', 'sell') AND price_status NOT IN ('suspect', 'foreign'), toString(total_value), ''),
    possible_day
  ))) AS summed,
  if(trade_type = '', 'other', toString(trade_type)) AS type,
  code,
  arrayReduce(
    'groupBitOr', arrayPushBack(owner_roles, toUInt8(ceo * 16 + (cfo OR (ceo_cfo AND NOT ceo)) * 32))
  ) AS roles,
  transform(direct_indirect, ['D', 'I'], ['direct', 'indirect'], 'unknown') AS ownership,
  plan, routine, price_status NOT IN ('suspect', 'foreign') AS credible, total_value, shares, significance,
  ifNull(possible_day, toDate32(0)) AS trade_day, version, toUInt8(entry.gone) AS deleted,
  if(entry.gone, [], earlier_marks) AS earlier, superseded_at,
  filed_basis IN ('signature', 'period', 'unknown') AS estimated
FROM (
  SELECT
    *, transaction, detail, type AS trade_type, trade_day AS possible_day, earlier AS earlier_marks,
    arrayJoin(arrayFilter(place -> place.past <= (superseded_by != ''), arrayConcat(
      [
        ('f', false, toUInt64(0), '', '', deleted OR NOT listed),
        (concat('c', leftPad(toString(issuer_cik), 10, '0')), false, insider_cik, insider_name, toString(insider_title),
          deleted OR NOT listed),
        ('F', true, toUInt64(0), '', '', deleted OR duplicate_of != ''),
        (concat('C', leftPad(toString(issuer_cik), 10, '0')), true, insider_cik, insider_name, toString(insider_title),
          deleted OR duplicate_of != '')
      ],
      arrayMap(
        (cik, title) -> (concat('i', leftPad(toString(cik), 10, '0')), false, issuer_cik, toString(company_name), title,
          deleted OR superseded_by != '' OR NOT has(profile_ciks, cik)),
        owner_ciks, owner_titles
      ),
      arrayMap(
        (cik, title) -> (concat('I', leftPad(toString(cik), 10, '0')), true, issuer_cik, toString(company_name), title,
          deleted OR NOT has(profile_ciks, cik)),
        owner_ciks, owner_titles
      )
    ) :: Array(Tuple(list String, past Bool, cik UInt64, name String, title String, gone Bool)))) AS entry
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

CREATE MATERIALIZED VIEW IF NOT EXISTS list_filings TO transaction_lists AS
SELECT
  concat(if(kind = 'issuer', 'c', 'i'), party, '#', leftPad(hex(toUnixTimestamp(filed_at)), 8, '0'), accession) AS key,
  issuer_cik,
  if(deleted, '', toJSONString((toString(name), directory_symbols, toString(sector), toString(sic)))) AS summed,
  version, deleted, estimated
FROM (
  SELECT *, key AS party, symbols AS directory_symbols
  FROM incoming_directory
  WHERE kind IN ('issuer', 'owner')
);

CREATE MATERIALIZED VIEW IF NOT EXISTS store_directory TO directory AS
SELECT *
FROM incoming_directory
WHERE 1;

-- All signals, also those that have ended, each with what the list of signals showed of it and since when.
CREATE TABLE IF NOT EXISTS signal_states (
  -- As in signal_list.
  key        String,
  issuer_cik UInt64,
  type       Enum8('' = 0, 'cluster_buy' = 1, 'cluster_sell' = 2, 'unusual_size' = 3, 'ceo_trade' = 4, 'reversal' = 5),
  -- Oldest first, each until the next. The contract's Signal; empty where it did not hold.
  states     Array(Tuple(
               since UInt32, severity Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4), signal String
             )) CODEC(ZSTD(1)),
  version    UInt64,
  deleted    UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY key
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 10737418240;
