-- breaking: an earlier version writes rows without these columns, and the lists without what they are filtered by
-- Fields of a transaction's detail: how long it took to be filed, prices that are averages of several trades, the other
-- owners of its filing, and whether a purchase is the first in years.

ALTER TABLE trades
  -- Business days from the trade to its filing, and whether it was filed after it was due.
  ADD COLUMN IF NOT EXISTS business_days Nullable(UInt16),
  ADD COLUMN IF NOT EXISTS late Nullable(Bool),
  -- A footnote of the price says that it is an average of several trades, and their lowest and highest price.
  ADD COLUMN IF NOT EXISTS average_price Bool,
  ADD COLUMN IF NOT EXISTS low_price Nullable(Decimal(18, 4)),
  ADD COLUMN IF NOT EXISTS high_price Nullable(Decimal(18, 4)),
  -- Of a purchase the whole years in which none of its owners is known to have bought, and the newest one before.
  ADD COLUMN IF NOT EXISTS first_buy_years Nullable(UInt8),
  ADD COLUMN IF NOT EXISTS previous_buy Nullable(Date32);

ALTER TABLE incoming_trades
  ADD COLUMN IF NOT EXISTS business_days Nullable(UInt16),
  ADD COLUMN IF NOT EXISTS late Nullable(Bool),
  ADD COLUMN IF NOT EXISTS average_price Bool,
  ADD COLUMN IF NOT EXISTS low_price Nullable(Decimal(18, 4)),
  ADD COLUMN IF NOT EXISTS high_price Nullable(Decimal(18, 4)),
  ADD COLUMN IF NOT EXISTS first_buy_years Nullable(UInt8),
  ADD COLUMN IF NOT EXISTS previous_buy Nullable(Date32);

ALTER TABLE listed_trades
  ADD COLUMN IF NOT EXISTS business_days Nullable(UInt16),
  ADD COLUMN IF NOT EXISTS late Nullable(Bool),
  ADD COLUMN IF NOT EXISTS average_price Bool,
  ADD COLUMN IF NOT EXISTS low_price Nullable(Decimal(18, 4)),
  ADD COLUMN IF NOT EXISTS high_price Nullable(Decimal(18, 4)),
  ADD COLUMN IF NOT EXISTS first_buy_years Nullable(UInt8),
  ADD COLUMN IF NOT EXISTS previous_buy Nullable(Date32);

ALTER TABLE listed_trades MODIFY COLUMN detail String ALIAS toJSONString(CAST(
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
    business_days, late, average_price, toFloat64(toString(low_price)), toFloat64(toString(high_price)),
    -- By places: a deleted row has no names.
    arrayMap(
      at -> (
        leftPad(toString(owner_ciks[at]), 10, '0'), owner_names[at],
        arrayFilter(
          (role, bit) -> bitAnd(owner_roles[at], bit) != 0,
          ['director', 'officer', 'tenPercentOwner', 'other'], [1, 2, 4, 8]
        ),
        owner_titles[at]
      ),
      arrayFilter(at -> owner_ciks[at] != insider_cik, arrayEnumerate(owner_ciks))
    ),
    first_buy_years, toString(previous_buy),
    if(startsWith(accession, 'local-'), NULL, concat(
      'https://www.sec.gov/Archives/edgar/data/', toString(issuer_cik), '/', replaceAll(accession, '-', ''), '/',
      accession, '-index.htm'))
  ),
  'Tuple(accessionNumber String, transactionCode String, acquiredDisposed String, ownership String, tradeDate String,
    tradeDateStatus String, sharesOwnedAfter Nullable(Float64), sharesStatus String,
    priceStatus String, filingDateBasis String,
    plan10b51 String, planSource String, ambiguousAmendment Bool, issuerCik String, insiderCik String, form String,
    securityTitle String, routine Bool, holdingChange Nullable(Float64),
    businessDaysToFile Nullable(UInt16), late Nullable(Bool), isWeightedAverage Bool, lowPrice Nullable(Float64),
    highPrice Nullable(Float64), coOwners Array(Tuple(cik String, name String, roles Array(String), title String)),
    firstBuyInYears Nullable(UInt8), previousBuyDate Nullable(String), url Nullable(String))'
));

-- What is asked for. The change of the holding is that of `detail`, where the number of shares is not suspect.
ALTER TABLE transaction_lists
  ADD COLUMN IF NOT EXISTS late Nullable(Bool),
  ADD COLUMN IF NOT EXISTS first_buy_years Nullable(UInt8),
  ADD COLUMN IF NOT EXISTS holding_change Nullable(Decimal(38, 4))
    DEFAULT if(
      JSONExtractString(detail, 'sharesStatus') = 'as_filed',
      toDecimal128OrNull(JSONExtractRaw(detail, 'holdingChange'), 4), NULL
    );

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
  change AS holding_change
FROM (
  SELECT
    filed_at, accession, n, issuer_cik, insider_cik, ticker, code, owner_roles, ceo, cfo, ceo_cfo, direct_indirect, plan,
    routine, price, total_value, shares, significance, version, superseded_at, filed_basis,
    transaction AS transaction_text, detail AS detail_text, type AS trade_type, trade_day AS possible_day,
    earlier AS earlier_marks, late AS is_late, first_buy_years AS first_years,
    if(shares_status = 'as_filed', toDecimal128OrNull(JSONExtractRaw(detail, 'holdingChange'), 4), NULL) AS change,
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

-- Rows of data sets on their way in.
ALTER TABLE staged_rows
  -- TRANS_FORM_TYPE, TRANS_TIMELINESS and DEEMED_EXECUTION_DATE.
  ADD COLUMN IF NOT EXISTS form_type LowCardinality(String),
  ADD COLUMN IF NOT EXISTS timeliness LowCardinality(String),
  ADD COLUMN IF NOT EXISTS deemed_date LowCardinality(String);

ALTER TABLE staged_row_facts
  ADD COLUMN IF NOT EXISTS average_price Bool,
  ADD COLUMN IF NOT EXISTS low_price Nullable(Decimal(18, 4)),
  ADD COLUMN IF NOT EXISTS high_price Nullable(Decimal(18, 4));

ALTER TABLE staged_trades
  ADD COLUMN IF NOT EXISTS business_days Nullable(UInt16),
  ADD COLUMN IF NOT EXISTS late Nullable(Bool),
  ADD COLUMN IF NOT EXISTS average_price Bool,
  ADD COLUMN IF NOT EXISTS low_price Nullable(Decimal(18, 4)),
  ADD COLUMN IF NOT EXISTS high_price Nullable(Decimal(18, 4));
