-- breaking: an earlier version writes trades and lists without the column
-- Prices that were suspect until a later filing's balances showed the reverse split that explains them.

-- When that filing was accepted; 1970 for all others.
ALTER TABLE trades ADD COLUMN IF NOT EXISTS suspect_until DateTime('UTC');

ALTER TABLE incoming_trades ADD COLUMN IF NOT EXISTS suspect_until DateTime('UTC');

ALTER TABLE listed_trades ADD COLUMN IF NOT EXISTS suspect_until DateTime('UTC');

ALTER TABLE staged_verdicts ADD COLUMN IF NOT EXISTS suspect_until DateTime('UTC');

ALTER TABLE transaction_lists ADD COLUMN IF NOT EXISTS suspect_until DateTime('UTC');

-- A view keeps the columns that its table had.
DROP VIEW IF EXISTS store_trades;

DROP VIEW IF EXISTS pass_trades;

CREATE MATERIALIZED VIEW IF NOT EXISTS store_trades TO trades AS
SELECT *
FROM incoming_trades
WHERE 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS pass_trades TO listed_trades AS
SELECT *
FROM incoming_trades
WHERE 1;

DROP VIEW IF EXISTS list_transactions;

CREATE MATERIALIZED VIEW IF NOT EXISTS list_transactions TO transaction_lists AS
SELECT
  concat(
    place.list, ':', leftPad(hex(toUnixTimestamp(filed_at)), 8, '0'), accession, ' ', leftPad(hex(n), 8, '0')
  ) AS key,
  issuer_cik,
  if(place.gone, '', transaction_text) AS transaction,
  if(place.gone, '', detail_text) AS detail,
  -- The other side: an insider's company, a company's insider.
  if(place.gone OR place.cik = '', '', toJSONString((
    place.cik, place.name, place.title, toString(ticker), toString(trade_type),
    if(is_trade AND is_credible, toString(total_value), ''), possible_day
  ))) AS summed,
  if(trade_type = '', 'other', toString(trade_type)) AS type,
  code,
  arrayReduce(
    'groupBitOr', arrayPushBack(owner_roles, toUInt8(ceo * 16 + (cfo OR (ceo_cfo AND NOT ceo)) * 32))
  ) AS roles,
  transform(direct_indirect, ['D', 'I'], ['direct', 'indirect'], 'unknown') AS ownership,
  plan, routine, is_credible AS credible, total_value, shares, significance,
  ifNull(possible_day, toDate32(0)) AS trade_day,
  if(NOT place.gone AND is_trade AND is_credible AND price > 0 AND insider_cik != issuer_cik, insider_cik, 0) AS trader,
  version, toUInt8(place.gone) AS deleted,
  if(place.gone, [], earlier_marks) AS earlier, superseded_at,
  filed_basis IN ('signature', 'period', 'unknown') AS estimated,
  is_late AS late, first_years AS first_buy_years,
  change AS holding_change, is_new AS new_holding, suspect_until
FROM (
  SELECT
    filed_at, accession, n, issuer_cik, insider_cik, ticker, code, owner_roles, ceo, cfo, ceo_cfo, direct_indirect, plan,
    routine, price, total_value, shares, significance, version, superseded_at, suspect_until, filed_basis,
    transaction AS transaction_text, detail AS detail_text, type AS trade_type, trade_day AS possible_day,
    earlier AS earlier_marks, late AS is_late, first_buy_years AS first_years,
    if(shares_status = 'as_filed', toDecimal128OrNull(JSONExtractRaw(detail, 'holdingChange'), 4), NULL) AS change,
    JSONExtractString(detail, 'holdingChangeKind') = 'new' AS is_new,
    type IN ('buy', 'sell') AS is_trade,
    price_status NOT IN ('suspect', 'foreign', 'other_unit') AND shares_status = 'as_filed' AS is_credible,
    arrayJoin(arrayConcat(
      [
        ('f', '', '', '', deleted OR NOT listed),
        (concat('c', leftPad(toString(issuer_cik), 10, '0')), leftPad(toString(insider_cik), 10, '0'), insider_name,
          toString(insider_title), deleted OR NOT listed)
      ],
      arrayMap(
        (cik, title) -> (concat('i', leftPad(toString(cik), 10, '0')), leftPad(toString(issuer_cik), 10, '0'),
          toString(company_name), title, deleted OR superseded_by != '' OR NOT has(profile_ciks, cik)),
        owner_ciks, owner_titles
      ),
      if(NOT deleted AND superseded_by = '', [], arrayConcat(
        [
          ('F', '', '', '', deleted OR duplicate_of != ''),
          (concat('C', leftPad(toString(issuer_cik), 10, '0')), leftPad(toString(insider_cik), 10, '0'), insider_name,
            toString(insider_title), deleted OR duplicate_of != '')
        ],
        arrayMap(
          (cik, title) -> (concat('I', leftPad(toString(cik), 10, '0')), leftPad(toString(issuer_cik), 10, '0'),
            toString(company_name), title, deleted OR NOT has(profile_ciks, cik)),
          owner_ciks, owner_titles
        )
      ))
    ) :: Array(Tuple(list String, cik String, name String, title String, gone Bool))) AS place
  FROM listed_trades
  WHERE path = 'issuer'
);
