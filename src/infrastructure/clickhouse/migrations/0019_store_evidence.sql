-- What the rules of amendments, shared events and units of price need of a row, so that a later filing, a rebuild and a
-- data set decide alike. Rows of earlier versions lack it: a rebuild follows the upgrade.
DROP VIEW IF EXISTS list_transactions;
DROP VIEW IF EXISTS store_trades;
DROP VIEW IF EXISTS pass_trades;
DROP VIEW IF EXISTS store_directory;

ALTER TABLE trades MODIFY COLUMN IF EXISTS price_status
  Enum8('as_filed' = 1, 'zero' = 2, 'footnote_only' = 3, 'suspect' = 4, 'foreign' = 5, 'other_unit' = 6);
-- The price is not in US dollars for one unit of the security.
ALTER TABLE trades ADD COLUMN IF NOT EXISTS other_unit Bool;
-- `suspect` where the holdings in the same filing contradict the number of shares.
ALTER TABLE trades ADD COLUMN IF NOT EXISTS shares_status Enum8('as_filed' = 0, 'suspect' = 1);
-- direct, spouse, personal, entity or unnamed.
ALTER TABLE trades ADD COLUMN IF NOT EXISTS holding LowCardinality(String);
-- Entities and persons that the nature of ownership and the row's footnotes name, normalised.
ALTER TABLE trades ADD COLUMN IF NOT EXISTS holder_names Array(String);
-- The period of report.
ALTER TABLE trades ADD COLUMN IF NOT EXISTS period String;
-- What remarks and footnotes of an amendment say: removed, repeated, withdrawn.
ALTER TABLE trades ADD COLUMN IF NOT EXISTS amendment_words Array(LowCardinality(String));

ALTER TABLE listed_trades MODIFY COLUMN IF EXISTS price_status
  Enum8('as_filed' = 1, 'zero' = 2, 'footnote_only' = 3, 'suspect' = 4, 'foreign' = 5, 'other_unit' = 6);
ALTER TABLE listed_trades ADD COLUMN IF NOT EXISTS other_unit Bool;
ALTER TABLE listed_trades ADD COLUMN IF NOT EXISTS shares_status Enum8('as_filed' = 0, 'suspect' = 1);
ALTER TABLE listed_trades ADD COLUMN IF NOT EXISTS holding LowCardinality(String);
ALTER TABLE listed_trades ADD COLUMN IF NOT EXISTS holder_names Array(String);
ALTER TABLE listed_trades ADD COLUMN IF NOT EXISTS period String;
ALTER TABLE listed_trades ADD COLUMN IF NOT EXISTS amendment_words Array(LowCardinality(String));

ALTER TABLE incoming_trades MODIFY COLUMN IF EXISTS price_status
  Enum8('as_filed' = 1, 'zero' = 2, 'footnote_only' = 3, 'suspect' = 4, 'foreign' = 5, 'other_unit' = 6);
ALTER TABLE incoming_trades ADD COLUMN IF NOT EXISTS other_unit Bool;
ALTER TABLE incoming_trades ADD COLUMN IF NOT EXISTS shares_status Enum8('as_filed' = 0, 'suspect' = 1);
ALTER TABLE incoming_trades ADD COLUMN IF NOT EXISTS holding LowCardinality(String);
ALTER TABLE incoming_trades ADD COLUMN IF NOT EXISTS holder_names Array(String);
ALTER TABLE incoming_trades ADD COLUMN IF NOT EXISTS period String;
ALTER TABLE incoming_trades ADD COLUMN IF NOT EXISTS amendment_words Array(LowCardinality(String));

-- The same of data sets on their way in.
ALTER TABLE staged_rows ADD COLUMN IF NOT EXISTS nature String;
-- The footnotes of the price.
ALTER TABLE staged_rows ADD COLUMN IF NOT EXISTS price_notes Array(LowCardinality(String));
ALTER TABLE staged_filings ADD COLUMN IF NOT EXISTS period String;
ALTER TABLE staged_filings ADD COLUMN IF NOT EXISTS amendment_words Array(LowCardinality(String));
ALTER TABLE staged_verdicts MODIFY COLUMN IF EXISTS price_status
  Enum8('' = 0, 'as_filed' = 1, 'zero' = 2, 'footnote_only' = 3, 'suspect' = 4, 'foreign' = 5, 'other_unit' = 6);
CREATE TABLE IF NOT EXISTS staged_amendment_words (
  accession String, words Array(LowCardinality(String))
) ENGINE = MergeTree ORDER BY accession;
-- What natures of ownership, footnotes, remarks and titles say of a row, where that is not what its other columns do.
CREATE TABLE IF NOT EXISTS staged_row_facts (
  accession    String,
  sk           UInt32,
  holding      LowCardinality(String),
  holder_names Array(String),
  other_unit   Bool,
  plan         Enum8('unknown' = 0, 'no' = 1, 'yes' = 2),
  plan_source  Enum8('none' = 0, 'box' = 1, 'footnote' = 2)
) ENGINE = MergeTree ORDER BY (accession, sk);
-- Rows whose number of shares the holdings of their filing contradict.
CREATE TABLE IF NOT EXISTS staged_suspect_shares (
  accession String, sk UInt32
) ENGINE = MergeTree ORDER BY (accession, sk);
ALTER TABLE staged_trades DROP COLUMN IF EXISTS hint;
ALTER TABLE staged_trades ADD COLUMN IF NOT EXISTS owner_names Array(String);
ALTER TABLE staged_trades ADD COLUMN IF NOT EXISTS owner_roles Array(UInt8);
ALTER TABLE staged_trades ADD COLUMN IF NOT EXISTS period String;
ALTER TABLE staged_trades ADD COLUMN IF NOT EXISTS amendment_words Array(LowCardinality(String));
ALTER TABLE staged_trades ADD COLUMN IF NOT EXISTS holding LowCardinality(String);
ALTER TABLE staged_trades ADD COLUMN IF NOT EXISTS holder_names Array(String);
ALTER TABLE staged_trades ADD COLUMN IF NOT EXISTS other_unit Bool;
ALTER TABLE staged_trades ADD COLUMN IF NOT EXISTS shares_status Enum8('as_filed' = 0, 'suspect' = 1);
ALTER TABLE staged_trades ADD COLUMN IF NOT EXISTS plan Enum8('unknown' = 0, 'no' = 1, 'yes' = 2);
ALTER TABLE staged_trades ADD COLUMN IF NOT EXISTS plan_source Enum8('none' = 0, 'box' = 1, 'footnote' = 2);
DROP TABLE IF EXISTS staged_amended_days;
DROP TABLE IF EXISTS staged_plans;

-- Of the issuer's entries of 4/As, which may have no row of Table I.
ALTER TABLE directory ADD COLUMN IF NOT EXISTS original_date String;
ALTER TABLE directory ADD COLUMN IF NOT EXISTS period String;
ALTER TABLE directory ADD COLUMN IF NOT EXISTS amendment_words Array(LowCardinality(String));
ALTER TABLE incoming_directory ADD COLUMN IF NOT EXISTS original_date String;
ALTER TABLE incoming_directory ADD COLUMN IF NOT EXISTS period String;
ALTER TABLE incoming_directory ADD COLUMN IF NOT EXISTS amendment_words Array(LowCardinality(String));

ALTER TABLE listed_trades MODIFY COLUMN IF EXISTS detail String ALIAS toJSONString(CAST(
  (
    accession, code, acquired_disposed, transform(direct_indirect, ['D', 'I'], ['direct', 'indirect'], 'unknown'),
    trade_date, isNull(trade_day) ? 'impossible' : 'plausible', toFloat64(toString(shares_after)),
    toString(shares_status), toString(price_status), filed_basis, toString(plan), toString(plan_source), ambiguous,
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
    tradeDateStatus String, sharesOwnedAfter Nullable(Float64), sharesStatus String,
    priceStatus String, filingDateBasis String,
    plan10b51 String, planSource String, ambiguousAmendment Bool, issuerCik String, insiderCik String, form String,
    securityTitle String, routine Bool, holdingChange Nullable(Float64), url Nullable(String))'
));

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
    if(trade_type IN ('buy', 'sell') AND is_credible, toString(total_value), ''),
    possible_day
  ))) AS summed,
  if(trade_type = '', 'other', toString(trade_type)) AS type,
  code,
  arrayReduce(
    'groupBitOr', arrayPushBack(owner_roles, toUInt8(ceo * 16 + (cfo OR (ceo_cfo AND NOT ceo)) * 32))
  ) AS roles,
  transform(direct_indirect, ['D', 'I'], ['direct', 'indirect'], 'unknown') AS ownership,
  plan, routine, is_credible AS credible, total_value, shares, significance,
  ifNull(possible_day, toDate32(0)) AS trade_day, version, toUInt8(entry.gone) AS deleted,
  if(entry.gone, [], earlier_marks) AS earlier, superseded_at,
  filed_basis IN ('signature', 'period', 'unknown') AS estimated
FROM (
  SELECT
    *, transaction, detail, type AS trade_type, trade_day AS possible_day, earlier AS earlier_marks,
    price_status NOT IN ('suspect', 'foreign', 'other_unit') AND shares_status = 'as_filed' AS is_credible,
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

CREATE MATERIALIZED VIEW IF NOT EXISTS store_directory TO directory AS
SELECT *
FROM incoming_directory
WHERE 1;
