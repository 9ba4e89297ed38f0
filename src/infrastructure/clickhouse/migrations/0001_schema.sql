-- The tables of ClickHouse as of release 1.0.0. Later releases add migrations beside this file and never change it.
-- Everything here is made from PostgreSQL and the kept zips of data sets, and can be made again by a rebuild.
--
-- Rows are replaced, not updated: the highest version of a key counts, and FINAL reads it, which within a window in
-- time costs no more than plain rows. Keys descend as the answers do, else FINAL can't read newest first. No partitions
-- and compact parts: opening a part takes time, and of a wide part a whole block of each column is decompressed to read
-- one row. Tables that grow filing by filing merge only when more parts stand than by default (merge_selector_base),
-- else the engine rewrites ten thousand rows for each filing.

-- Transactions

-- A trade is one row, in its issuer's order, with all that was decided of it. What is served is made from it below.
CREATE TABLE IF NOT EXISTS trades (
  -- Always 'issuer', and the issuer's CIK.
  path              Enum8('feed' = 0, 'issuer' = 1, 'insider' = 2),
  subject           UInt64,
  filed_at          DateTime('UTC'),
  accession         String,
  n                 UInt32,
  id                String,

  -- As shown.
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
  -- Significance and labels that it had before, oldest first: at a time those of the first with a later `until`, in
  -- seconds, else the present ones. Empty for nine rows in ten.
  earlier           Array(Tuple(
    until UInt32, significance Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4), signals Array(String))),
  -- The highest severity among its signals; low where it has none.
  signalled         Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4) DEFAULT 'low',

  -- As filed.
  code              LowCardinality(String),
  acquired_disposed LowCardinality(String),
  direct_indirect   LowCardinality(String),
  security_title    LowCardinality(String),
  trade_date        String,
  -- Null for an impossible one.
  trade_day         Nullable(Date32),
  shares_after      Nullable(Decimal(18, 4)),
  price_filed       Nullable(Decimal(18, 4)),
  -- The price is not in US dollars.
  foreign           Bool,
  -- The price is not in US dollars for one unit of the security.
  other_unit        Bool,
  symbols           Array(LowCardinality(String)),
  amendment         Bool,
  original_date     String,
  filed_day         Date32,
  filed_basis       LowCardinality(String),
  -- The period of report.
  period            String,
  plan              Enum8('unknown' = 0, 'no' = 1, 'yes' = 2),
  plan_source       Enum8('none' = 0, 'box' = 1, 'footnote' = 2),

  -- The owners of the filing, and the one of them who acts for it.
  insider_cik       UInt64,
  owner_ciks        Array(UInt64),
  owner_names       Array(String),
  owner_titles      Array(String),
  -- Bits: 1 director, 2 officer, 4 ten percent owner, 8 other.
  owner_roles       Array(UInt8),
  owner_title       LowCardinality(String),
  ceo               Bool,
  ceo_cfo           Bool,
  cfo               Bool,

  -- What was decided of it, and what the rules of amendments, shared events and units of price need of the row, so that
  -- a later filing, a rebuild and a data set decide alike.
  listed            Bool,
  duplicate_of      String,
  superseded_by     String,
  -- 1970 for what is not.
  superseded_at     DateTime('UTC'),
  -- Of a 4/A that fits several originals equally well, and so supersedes nothing.
  ambiguous         Bool,
  profile_ciks      Array(UInt64),
  price_status      Enum8(
    'as_filed' = 1, 'zero' = 2, 'footnote_only' = 3, 'suspect' = 4, 'foreign' = 5, 'other_unit' = 6),
  -- `suspect` where the holdings in the same filing contradict the number of shares.
  shares_status     Enum8('as_filed' = 0, 'suspect' = 1),
  -- The insider traded in this month of the calendar in each of the three years before.
  routine           Bool,
  -- direct, spouse, personal, entity or unnamed.
  holding           LowCardinality(String),
  -- Entities and persons that the nature of ownership and the row's footnotes name, normalised.
  holder_names      Array(String),
  -- What remarks and footnotes of an amendment say: removed, repeated, withdrawn.
  amendment_words   Array(LowCardinality(String)),

  -- All of the row in one JSON text, for the projection, since each column asked for adds time. Empty where the engine
  -- wrote the row.
  whole             String CODEC(ZSTD(1)),
  version           UInt64,
  deleted           UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (path, subject, filed_at DESC, accession DESC, n DESC)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 1099511627776, allow_experimental_reverse_key = 1,
  merge_selector_base = 10;

-- Transactions as they are served: one row for each place of a trade in a list, so that a page is one range of a key of
-- one column, and the row one text.
CREATE TABLE IF NOT EXISTS transaction_lists (
  -- The list (`f` the feed, `c` and a company's CIK, `i` and an insider's), a colon, and the place in it: the filing
  -- time in seconds in hexadecimal, the accession number, a space, and the transaction's place in its filing in
  -- hexadecimal. What an amendment superseded is in lists of its own under a capital letter (`F`, `C`, `I`), which only
  -- questions as of an earlier instant read. The filings of a company and of an insider have a `#` in place of the
  -- colon.
  key           String,
  issuer_cik    UInt64,
  -- The contract's Transaction, and what `detail=full` adds to it.
  transaction   String CODEC(ZSTD(1)),
  detail        String CODEC(ZSTD(1)),
  -- What the profile of a company or an insider sums up, as a JSON array: the other side's CIK and name, the insider's
  -- title, the symbol, the type, the value where it counts, the day. Empty in the feed. Of a filing the party's name,
  -- the symbols typed, the sector and the SIC.
  summed        String CODEC(ZSTD(1)),
  -- What is asked for, in types that cost little to plan with.
  type          Enum8(
    'other' = 0, 'buy' = 1, 'sell' = 2, 'award' = 3, 'exercise' = 4, 'conversion' = 5, 'tax_withholding' = 6,
    'gift' = 7, 'issuer_disposition' = 8, 'tender' = 9, 'inheritance' = 10, 'small_acquisition' = 11,
    'expiration' = 12, 'plan_transaction' = 13, 'voting_trust' = 14, 'swap' = 15),
  code          LowCardinality(String),
  -- Bits of all owners of the filing: 1 director, 2 officer, 4 ten percent owner, 8 other, 16 CEO, 32 CFO.
  roles         UInt8,
  ownership     Enum8('unknown' = 0, 'direct' = 1, 'indirect' = 2),
  plan          Enum8('unknown' = 0, 'no' = 1, 'yes' = 2),
  routine       Bool,
  -- Neither the price nor the number of shares is suspect, and the price is in dollars for one unit.
  credible      Bool,
  -- The CIK of the insider, where the transaction is an open-market trade: listed, bought or sold, at a credible price
  -- above 0, and not by the company itself; else 0.
  trader        UInt64 DEFAULT if(
    type IN ('buy', 'sell') AND credible AND JSONExtractFloat(transaction, 'pricePerShare') > 0
      AND JSONExtractString(detail, 'insiderCik') != JSONExtractString(detail, 'issuerCik'),
    toUInt64OrZero(JSONExtractString(detail, 'insiderCik')), 0
  ),
  total_value   Decimal(38, 2),
  shares        Decimal(18, 4),
  significance  Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4),
  -- 1970-01-01 for an impossible one.
  trade_day     Date32,
  -- As in `trades`.
  earlier       Array(Tuple(
    until UInt32, significance Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4), signals Array(String))),
  superseded_at DateTime('UTC'),
  -- The day of filing is only made out from a signature, the period or another date, and may be too early.
  estimated     Bool,
  version       UInt64,
  deleted       UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (key DESC)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1099511627776, allow_experimental_reverse_key = 1,
  merge_selector_base = 4;

-- Rows that the engine writes in bulk go into `incoming_trades`, which keeps nothing and passes them on to `trades`
-- and, through `listed_trades`, to the lists. Live rows are inserted into `listed_trades`, and last into `trades`.
CREATE TABLE IF NOT EXISTS incoming_trades AS trades ENGINE = Null;
CREATE TABLE IF NOT EXISTS listed_trades AS trades ENGINE = Null;

-- The JSON texts of a transaction, computed when they are read. Not columns of `trades`, where their expressions would
-- be analysed with each statement. Amounts as in JavaScript, which has
-- 15 to 17 digits; with more, decimals would be other numbers to one reader than to another.
ALTER TABLE listed_trades ADD COLUMN IF NOT EXISTS transaction String ALIAS toJSONString(CAST(
  (
    id, ticker, company_name, insider_name, insider_title, type, toFloat64(toString(shares)),
    toFloat64(toString(price)), toFloat64(toString(total_value)),
    formatDateTime(filed_at, '%Y-%m-%dT%H:%i:%SZ'), toString(significance), signals
  ),
  'Tuple(id String, ticker String, companyName String, insiderName String, insiderTitle String, transactionType String,
    shares Float64, pricePerShare Float64, totalValue Float64, filingDate String, significance String,
    signals Array(String))'
));
ALTER TABLE listed_trades ADD COLUMN IF NOT EXISTS detail String ALIAS toJSONString(CAST(
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

-- An insert plans every expression of its views, which costs more than running them on a few rows: the view names the
-- columns that it needs.
--
-- `transaction`, `detail`: the texts, columns of `listed_trades`. A transaction has a row for each place. It is gone from
-- a place where it is not shown; a deleted one is gone from all places, also from those of what was superseded. Where it
-- was superseded and is no more, it is therefore deleted first and then inserted again.
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
  filed_basis IN ('signature', 'period', 'unknown') AS estimated
FROM (
  SELECT
    filed_at, accession, n, issuer_cik, insider_cik, ticker, code, owner_roles, ceo, cfo, ceo_cfo, direct_indirect, plan,
    routine, price, total_value, shares, significance, version, superseded_at, filed_basis,
    transaction AS transaction_text, detail AS detail_text, type AS trade_type, trade_day AS possible_day,
    earlier AS earlier_marks, type IN ('buy', 'sell') AS is_trade,
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

CREATE MATERIALIZED VIEW IF NOT EXISTS store_trades TO trades AS
SELECT *
FROM incoming_trades
WHERE 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS pass_trades TO listed_trades AS
SELECT *
FROM incoming_trades
WHERE 1;

-- Filings, companies and insiders

-- Who is known: a row per filing, of every form, for its issuer, each of its owners and each symbol typed in it. The
-- newest row of a key is the present.
CREATE TABLE IF NOT EXISTS directory (
  kind            Enum8('issuer' = 0, 'owner' = 1, 'symbol' = 2),
  -- The CIK of ten digits, or the symbol.
  key             String,
  filed_at        DateTime('UTC'),
  accession       String,
  issuer_cik      UInt64,
  -- The company's or the owner's, as in this filing.
  name            LowCardinality(String),
  -- From here on only of issuers. SIC and office are empty where the header gives none; bare documents have no header.
  form            LowCardinality(String),
  symbols         Array(LowCardinality(String)),
  owner_ciks      Array(UInt64),
  sic             LowCardinality(String),
  office          LowCardinality(String),
  sector          LowCardinality(String),
  -- Of 4/As, which may have no row of Table I: as in `trades`.
  original_date   String,
  period          String,
  amendment_words Array(LowCardinality(String)),
  -- Of all kinds. As in `transaction_lists`.
  estimated       Bool,
  -- The SEC has withdrawn the filing: it is in no list of filings, and stays here for answers as of an instant before.
  withdrawn       Bool,
  version         UInt64,
  deleted         UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (kind, key, filed_at DESC, accession DESC)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 1099511627776, allow_experimental_reverse_key = 1,
  merge_selector_base = 10;

-- Filings of all forms as they are listed: one row for the list of all, one for the company's, one for each owner's.
CREATE TABLE IF NOT EXISTS filing_lists (
  -- The list (`f` all, `c` and a company's CIK, `i` and an owner's), a colon, the filing time in seconds in hexadecimal
  -- and the accession number.
  key        String,
  issuer_cik UInt64,
  form       LowCardinality(String),
  -- The company's, as in this filing.
  name       LowCardinality(String),
  symbols    Array(LowCardinality(String)),
  owner_ciks Array(UInt64),
  version    UInt64,
  deleted    UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (key DESC)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1099511627776, allow_experimental_reverse_key = 1,
  merge_selector_base = 10;

-- As with trades: what is inserted here goes into `directory` and, through the views, into the lists.
CREATE TABLE IF NOT EXISTS incoming_directory AS directory ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS list_all_filings TO filing_lists AS
SELECT
  concat(list, ':', leftPad(hex(toUnixTimestamp(filed_at)), 8, '0'), accession) AS key,
  issuer_cik, form, name, directory_symbols AS symbols, owner_ciks, version, gone AS deleted
FROM (
  SELECT
    filed_at, accession, issuer_cik, form, name, symbols AS directory_symbols, owner_ciks, version,
    toUInt8(deleted OR withdrawn) AS gone,
    arrayJoin(arrayConcat(
      ['f', concat('c', leftPad(toString(issuer_cik), 10, '0'))],
      arrayMap(cik -> concat('i', leftPad(toString(cik), 10, '0')), owner_ciks)
    )) AS list
  FROM incoming_directory
  WHERE kind = 'issuer'
);

-- The filings of a company and of an insider behind their transactions, so that a profile is one range of keys and one
-- statement.
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

-- What the SEC's data sets say of a filing, all of it: one JSON text with the lines of its eight files. One row answers
-- for one filing, so granules are small.
CREATE TABLE IF NOT EXISTS filing_details (
  filed_at   DateTime('UTC'),
  accession  String,
  issuer_cik UInt64,
  -- {"basis": of the filing time, "complete": no line of it was rejected, "lines": [{"file": ..., column: text, ...}]}
  content    String CODEC(ZSTD(1)),
  version    UInt64,
  deleted    UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (filed_at, accession)
SETTINGS index_granularity = 32, min_bytes_for_wide_part = 1099511627776, merge_selector_base = 10;

-- The SEC's list, exchanged as a whole when a new one is loaded.
CREATE TABLE IF NOT EXISTS company_list (
  ticker     String,
  place      UInt32,
  issuer_cik UInt64,
  name       String,
  exchange   LowCardinality(String)
) ENGINE = MergeTree
ORDER BY ticker
SETTINGS index_granularity = 256;

-- SIC codes that EDGAR gives for issuers whose filings show none, with our sector for each.
CREATE TABLE IF NOT EXISTS issuer_sectors (
  issuer_cik UInt64,
  sic        LowCardinality(String),
  sector     LowCardinality(String),
  version    UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY issuer_cik
SETTINGS index_granularity = 256;

-- Companies and insiders as the search finds them, a row for each, made of the lists of transactions and of the SEC's list.
CREATE TABLE IF NOT EXISTS parties (
  kind             Enum8('company' = 0, 'insider' = 1),
  cik              UInt64,
  -- The words of all names and symbols, each after a space, then each symbol between equals signs.
  words            String,
  -- What results are ordered by: buys and sells of three years, all transactions, whether there are filings.
  recent           UInt32,
  transactions     UInt32,
  filed            Bool,
  -- The contract's SearchResult without `matched`.
  shown            String,
  -- Of companies, as their filings say it: by the newest SIC, and by whichever filing says one last. Empty if none does.
  sector_by_sic    LowCardinality(String),
  sector_by_office LowCardinality(String),
  -- That of the totals of the list.
  version          UInt64,
  deleted          UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (kind, cik)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 1099511627776;

-- Signals

-- Every signal that was ever detected, by issuer, with all that is known of it.
CREATE TABLE IF NOT EXISTS signals (
  -- Always 'issuer', and the issuer's CIK.
  path          Enum8('list' = 0, 'issuer' = 1),
  subject       UInt64,
  detected_at   DateTime('UTC'),
  id            String,
  type          LowCardinality(String),
  severity      Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4),
  issuer_cik    UInt64,
  ticker        LowCardinality(String),
  company_name  LowCardinality(String),
  description   String,
  insider_count UInt32,
  total_value   Decimal(38, 2),
  changed_at    DateTime('UTC'),
  -- 1970 for one that holds.
  ended_at      DateTime('UTC'),
  -- The signal as the domain made it, in JSON, and by which rules.
  whole         String CODEC(ZSTD(1)),
  rules         LowCardinality(String),
  version       UInt64,
  deleted       UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (path, subject, detected_at DESC, id)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 1099511627776, allow_experimental_reverse_key = 1;

-- Those that hold, as they are served: newest first, then by id.
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
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 1099511627776;

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
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1099511627776;

-- A quarter of the SEC's data sets on its way in: each file's lines typed and checked (problem says why a line can't be
-- used, and only then is the line kept), then one row per filing. Emptied before and after each set. Sorted by
-- accession number, so that they are joined range by range and memory does not grow with the quarter. Statements write
-- these columns by their order.

CREATE TABLE IF NOT EXISTS staged_lines (
  line String
) ENGINE = MergeTree
ORDER BY tuple();

CREATE TABLE IF NOT EXISTS staged_submissions (
  accession     String,
  form          LowCardinality(String),
  filed_day     String,
  period        String,
  original_date String,
  issuer_cik    UInt64,
  company_name  String,
  symbol        String,
  remarks       String,
  plan          Enum8('unknown' = 0, 'no' = 1, 'yes' = 2),
  problem       String,
  line          String,
  -- The line as it is stored: an object of the columns that are not empty.
  content       String
) ENGINE = MergeTree
ORDER BY accession
SETTINGS index_granularity = 4096;

CREATE TABLE IF NOT EXISTS staged_owners (
  accession  String,
  cik        UInt64,
  name       String,
  -- Bits: 1 director, 2 officer, 4 ten percent owner, 8 other.
  roles      UInt8,
  title      String,
  other_text String,
  problem    String,
  line       String,
  content    String
) ENGINE = MergeTree
ORDER BY (accession, cik)
SETTINGS index_granularity = 4096;

CREATE TABLE IF NOT EXISTS staged_rows (
  accession         String,
  -- NONDERIV_TRANS_SK, a number of the SEC's that tells rows of a filing apart and says nothing of their order.
  sk                UInt32,
  title             LowCardinality(String),
  trade_date        LowCardinality(String),
  code              LowCardinality(String),
  acquired_disposed LowCardinality(String),
  direct_indirect   LowCardinality(String),
  shares            Decimal(18, 4),
  price             Nullable(Decimal(18, 4)),
  shares_after      Nullable(Decimal(18, 4)),
  -- Its footnotes, wherever they hang.
  notes             Array(LowCardinality(String)),
  problem           String,
  line              String,
  content           String,
  nature            String,
  -- The footnotes of the price.
  price_notes       Array(LowCardinality(String))
) ENGINE = MergeTree
ORDER BY (accession, sk)
SETTINGS index_granularity = 4096;

-- The lines of all other files.
CREATE TABLE IF NOT EXISTS staged_details (
  accession String,
  file      LowCardinality(String),
  -- What no other line of the filing and file has: the surrogate key, or the footnote's id; of signatures, which
  -- repeat, the name.
  key       String,
  content   String,
  problem   String,
  line      String
) ENGINE = MergeTree
ORDER BY (accession, file, key)
SETTINGS index_granularity = 4096;

-- What the domain says of texts, once per distinct text.
CREATE TABLE IF NOT EXISTS staged_titles (
  roles UInt8, title String, other_text String, shown String
) ENGINE = MergeTree ORDER BY (roles, title, other_text);
-- Titles that only point to the remarks or a footnote, by owner.
CREATE TABLE IF NOT EXISTS staged_pointed_titles (
  accession String, cik UInt64, shown String, ceo Bool, cfo Bool, chief Bool
) ENGINE = MergeTree ORDER BY (accession, cik);
-- Titles that make their holder CEO or CFO of the company named.
CREATE TABLE IF NOT EXISTS staged_chiefs (
  title String, company_name String, ceo Bool, cfo Bool
) ENGINE = MergeTree ORDER BY (title, company_name);
CREATE TABLE IF NOT EXISTS staged_symbols (
  symbol String, symbols Array(String)
) ENGINE = MergeTree ORDER BY symbol;
-- Of several symbols in a filing, the title of a row's security decides which is shown.
CREATE TABLE IF NOT EXISTS staged_tickers (
  issuer_cik UInt64, symbols Array(String), title String DEFAULT '', ticker String
) ENGINE = MergeTree ORDER BY issuer_cik;
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

-- The time of filings whose FILING_DATE is missing.
CREATE TABLE IF NOT EXISTS staged_times (
  accession String, filed_at DateTime('UTC'), filed_day Date32, filed_basis String
) ENGINE = MergeTree ORDER BY accession;
-- Filings that are here already: from their own document, or from another set.
CREATE TABLE IF NOT EXISTS staged_known (
  accession String
) ENGINE = MergeTree ORDER BY accession;
-- Filings that the SEC has withdrawn.
CREATE TABLE IF NOT EXISTS staged_withdrawn (
  accession String, received_at DateTime('UTC')
) ENGINE = MergeTree ORDER BY accession;

-- A filing of the set with all that is the same for its rows.
CREATE TABLE IF NOT EXISTS staged_filings (
  accession       String,
  form            LowCardinality(String),
  filed_at        DateTime('UTC'),
  filed_day       Date32,
  filed_basis     LowCardinality(String),
  original_date   String,
  issuer_cik      UInt64,
  company_name    String,
  symbols         Array(LowCardinality(String)),
  plan            Enum8('unknown' = 0, 'no' = 1, 'yes' = 2),
  owner_ciks      Array(UInt64),
  owner_names     Array(String),
  owner_titles    Array(String),
  owner_roles     Array(UInt8),
  -- The place among the owners of the one who acts for the filing.
  acting          UInt16,
  ceo             Bool,
  ceo_cfo         Bool,
  cfo             Bool,
  -- Lines of NONDERIV_TRANS, rejected ones too: a filing keeps its ids when they come to be readable.
  row_count       UInt32,
  -- Those of them that can be used.
  good_rows       UInt32,
  period          String,
  amendment_words Array(LowCardinality(String))
) ENGINE = MergeTree
ORDER BY accession
SETTINGS index_granularity = 4096;

-- The transactions of its Forms 4 and 4/A that are not here already, with what judging them needs of their filings:
-- looked at several times, where joining once costs a tenth of writing them.
CREATE TABLE IF NOT EXISTS staged_trades (
  accession         String,
  n                 UInt32,
  sk                UInt32,
  id                String,
  issuer_cik        UInt64,
  filed_at          DateTime('UTC'),
  filed_day         Date32,
  amendment         Bool,
  original_date     LowCardinality(String),
  owner_ciks        Array(UInt64),
  title             LowCardinality(String),
  trade_date        LowCardinality(String),
  code              LowCardinality(String),
  acquired_disposed LowCardinality(String),
  direct_indirect   LowCardinality(String),
  shares            Decimal(18, 4),
  price             Nullable(Decimal(18, 4)),
  shares_after      Nullable(Decimal(18, 4)),
  notes             Array(LowCardinality(String)),
  owner_names       Array(String),
  owner_roles       Array(UInt8),
  period            String,
  amendment_words   Array(LowCardinality(String)),
  holding           LowCardinality(String),
  holder_names      Array(String),
  other_unit        Bool,
  shares_status     Enum8('as_filed' = 0, 'suspect' = 1),
  plan              Enum8('unknown' = 0, 'no' = 1, 'yes' = 2),
  plan_source       Enum8('none' = 0, 'box' = 1, 'footnote' = 2)
) ENGINE = MergeTree
ORDER BY (accession, sk)
SETTINGS index_granularity = 4096;

-- What was decided about rows that other rows have a say in; all others are listed as they are.
CREATE TABLE IF NOT EXISTS staged_verdicts (
  accession     String,
  sk            UInt32,
  price_status  Enum8(
    '' = 0, 'as_filed' = 1, 'zero' = 2, 'footnote_only' = 3, 'suspect' = 4, 'foreign' = 5, 'other_unit' = 6),
  duplicate_of  String,
  superseded_by String,
  superseded_at DateTime('UTC'),
  ambiguous     Bool,
  profile_ciks  Array(UInt64)
) ENGINE = MergeTree ORDER BY (accession, sk);

-- Lines of data sets that could not be used; kept permanently.
CREATE TABLE IF NOT EXISTS set_rejects (
  quarter   LowCardinality(String),
  file      LowCardinality(String),
  accession String,
  reason    String,
  -- As it came, to 4,000 bytes; empty where the line itself is in order.
  line      String
) ENGINE = MergeTree
PARTITION BY quarter
ORDER BY (quarter, file, accession);

-- Rows of month files on their way into Parquet, of those datasets that are made from filings themselves: staged at
-- once, so that filings are read once.
CREATE TABLE IF NOT EXISTS staged_export_rows (
  dataset   LowCardinality(String),
  filed_at  DateTime('UTC'),
  accession String,
  -- The place in the filing.
  n         UInt32,
  -- An object of the columns.
  content   String
) ENGINE = MergeTree
ORDER BY (filed_at DESC, accession DESC, n)
SETTINGS index_granularity = 4096, allow_experimental_reverse_key = 1;

-- The store

-- The id that this store and the record it was filled from have in common; the newest row counts.
CREATE TABLE IF NOT EXISTS store_identity (
  id       String,
  given_at DateTime64(6) DEFAULT now64(6)
) ENGINE = MergeTree
ORDER BY given_at;

-- Which generations of this service wrote all of the stored rows. A generation begins where rows gain columns or are
-- decided otherwise; the one of an upgrade is entered by the rebuild that follows it.
CREATE TABLE IF NOT EXISTS generations (
  number  UInt32,
  made_at DateTime DEFAULT now()
) ENGINE = MergeTree
ORDER BY number;
