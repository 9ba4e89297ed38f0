-- breaking: an earlier version stages rows of data sets without the column
-- Trade dates that the filing's period contradicts. Their day is null, as that of impossible dates is.

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

-- Null for a date that is impossible or doubtful.
ALTER TABLE staged_trades ADD COLUMN IF NOT EXISTS trade_day Nullable(Date32);
