-- breaking: an earlier version writes the lists without what they are filtered by
-- Whether a trade began, changed or closed a holding, of which the change as a fraction says nothing where it was 0.

ALTER TABLE listed_trades MODIFY COLUMN detail String ALIAS toJSONString(CAST(
  (
    accession, code, acquired_disposed, transform(direct_indirect, ['D', 'I'], ['direct', 'indirect'], 'unknown'),
    trade_date,
    multiIf(
      isNotNull(trade_day), 'plausible',
      ifNull(
        toString(toDate32OrNull(trade_date)) = trade_date AND toDate32OrNull(trade_date) <= filed_day
          AND toDate32OrNull(trade_date) >= addYears(filed_day, -3),
        false
      ), 'doubtful',
      'impossible'
    ),
    toFloat64(toString(shares_after)),
    toString(shares_status), toString(price_status), filed_basis, toString(plan), toString(plan_source), ambiguous,
    leftPad(toString(issuer_cik), 10, '0'), leftPad(toString(insider_cik), 10, '0'), if(amendment, '4/A', '4'),
    security_title, routine,
    arrayMap(
      (moved, after) -> if(after - moved > 0, floor(moved / (after - moved) * 10000 + 0.5) / 10000, NULL),
      [toFloat64(toString(shares)) * transform(acquired_disposed, ['A', 'D'], [1, -1], NULL)],
      [toFloat64(toString(shares_after))]
    )[1],
    arrayMap(
      (before, after) -> multiIf(
        isNull(before) OR before < 0 OR shares_status = 'suspect', 'unknown',
        before > 0, if(after = 0, 'closed', 'changed'),
        after > 0, 'new',
        'unknown'
      ),
      [toFloat64(toString(shares_after))
        - toFloat64(toString(shares)) * transform(acquired_disposed, ['A', 'D'], [1, -1], NULL)],
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
    securityTitle String, routine Bool, holdingChange Nullable(Float64), holdingChangeKind String,
    businessDaysToFile Nullable(UInt16), late Nullable(Bool), isWeightedAverage Bool, lowPrice Nullable(Float64),
    highPrice Nullable(Float64), coOwners Array(Tuple(cik String, name String, roles Array(String), title String)),
    firstBuyInYears Nullable(UInt8), previousBuyDate Nullable(String), url Nullable(String))'
));

-- What is asked for.
ALTER TABLE transaction_lists
  ADD COLUMN IF NOT EXISTS new_holding Bool DEFAULT JSONExtractString(detail, 'holdingChangeKind') = 'new';

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
  change AS holding_change, is_new AS new_holding
FROM (
  SELECT
    filed_at, accession, n, issuer_cik, insider_cik, ticker, code, owner_roles, ceo, cfo, ceo_cfo, direct_indirect, plan,
    routine, price, total_value, shares, significance, version, superseded_at, filed_basis,
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
