-- The tables of ClickHouse, and a view. There are no migrations: everything here is made from PostgreSQL and the kept
-- zips of data sets, and is made again where this file changes.
--
-- Rows are replaced, not updated: the highest version of a key counts, and FINAL reads it, which within a window in
-- time costs no more than plain rows. Keys descend as the answers do, else FINAL can't read newest first. No partitions
-- and compact parts: opening a part takes time, and of a wide part a whole block of each column is decompressed to read
-- one row. Tables that grow filing by filing merge only when more parts stand than by default (merge_selector_base),
-- else the engine rewrites ten thousand rows for each filing.

-- Transactions

-- A trade is one row, in its issuer's order, with all that was decided of it: the service reads it back to decide again
-- when another filing of the issuer comes.
CREATE TABLE IF NOT EXISTS trades (
  issuer_cik        UInt64,
  filed_at          DateTime('UTC'),
  accession         String,
  n                 UInt32,
  id                String,
  ticker            LowCardinality(String),
  code              LowCardinality(String),
  acquired_disposed LowCardinality(String),
  filed_basis       LowCardinality(String),
  superseded_by     String,
  -- All of the trade, as JSON.
  whole             String CODEC(ZSTD(1)),
  version           UInt64,
  deleted           UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (issuer_cik, filed_at DESC, accession DESC, n DESC)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 1099511627776, allow_experimental_reverse_key = 1,
  merge_selector_base = 10;

-- The same in the feed's order, in columns, for the month files: superseded ones and duplicates too.
CREATE TABLE IF NOT EXISTS transactions (
  filed_at      DateTime('UTC'),
  accession     String,
  n             UInt32,
  issuer_cik    UInt64,
  listed        Bool,
  duplicate_of  String,
  superseded_by String,
  -- 1970 for what is not.
  superseded_at DateTime('UTC'),
  -- When the later filing was accepted whose balances show the reverse split that explains the price, which was suspect
  -- until then. 1970 for all others.
  suspect_until DateTime('UTC'),
  -- Significance and labels that it had before, oldest first: at a time those of the first with a later `until`, in
  -- seconds, else the present ones. Empty for nine rows in ten.
  earlier       Array(Tuple(
    until UInt32, significance Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4), signals Array(String))),
  -- The day of filing is only made out from a signature, the period or another date, and may be too early.
  estimated     Bool,
  version       UInt64,
  deleted       UInt8,
  -- The columns of application/queries/transactions/transaction-fields.ts.
  {fields of transactions}
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (filed_at DESC, accession DESC, n DESC)
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
  key             String,
  issuer_cik      UInt64,
  -- The contract's Transaction, and what `detail=full` adds to it.
  transaction     String CODEC(ZSTD(1)),
  detail          String CODEC(ZSTD(1)),
  -- What the profile of a company or an insider sums up. Of a transaction the other side (of a company's its insider,
  -- of an insider's the company), the insider's title, and the symbol; no other side in the feed. Of a filing a JSON
  -- array with the party's name, the symbols typed, the sector and the SIC.
  side_cik        UInt64,
  side_name       String,
  side_title      LowCardinality(String),
  ticker          LowCardinality(String),
  summed          String CODEC(ZSTD(1)),
  -- What is asked for, in types that cost little to plan with.
  type            Enum8(
    'other' = 0, 'buy' = 1, 'sell' = 2, 'award' = 3, 'exercise' = 4, 'conversion' = 5, 'tax_withholding' = 6,
    'gift' = 7, 'issuer_disposition' = 8, 'tender' = 9, 'inheritance' = 10, 'small_acquisition' = 11,
    'expiration' = 12, 'plan_transaction' = 13, 'voting_trust' = 14, 'swap' = 15),
  code            LowCardinality(String),
  -- Bits of all owners of the filing: 1 director, 2 officer, 4 ten percent owner, 8 other, 16 CEO, 32 CFO.
  roles           UInt8,
  ownership       Enum8('unknown' = 0, 'direct' = 1, 'indirect' = 2),
  plan            Enum8('unknown' = 0, 'no' = 1, 'yes' = 2),
  routine         Bool,
  -- Neither the price nor the number of shares is suspect, and the price is in dollars for one unit.
  credible        Bool,
  -- The CIK of the insider, where the transaction is an open-market trade: listed, bought or sold, at a credible price
  -- above 0, and not by the company itself; else 0.
  trader          UInt64,
  -- The change of the holding is that of `detail`, where the number of shares is not suspect.
  late            Nullable(Bool),
  first_buy_years Nullable(UInt8),
  holding_change  Nullable(Decimal(38, 4)),
  new_holding     Bool,
  total_value     Decimal(38, 2),
  shares          Decimal(18, 4),
  significance    Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4),
  -- 1970-01-01 for one that is impossible or that the filing's period contradicts.
  trade_day       Date32,
  -- As in `transactions`.
  earlier         Array(Tuple(
    until UInt32, significance Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4), signals Array(String))),
  superseded_at   DateTime('UTC'),
  suspect_until   DateTime('UTC'),
  -- The day of filing is only made out from a signature, the period or another date, and may be too early.
  estimated       Bool,
  version         UInt64,
  deleted         UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (key DESC)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1099511627776, allow_experimental_reverse_key = 1,
  merge_selector_base = 10;

-- Rows of lists are inserted here, each with all of its places, so that its texts are sent and parsed once. The view
-- only repeats them: an insert plans each expression of its views.
CREATE TABLE IF NOT EXISTS placed_rows (
  places Array(Tuple(key String, side_cik UInt64, side_name String, side_title String)),
  {other columns of transaction_lists}
) ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS place_rows TO transaction_lists AS
SELECT
  * EXCEPT (places, place), place.key AS key, place.side_cik AS side_cik, place.side_name AS side_name,
  place.side_title AS side_title
FROM (SELECT *, arrayJoin(places) AS place FROM placed_rows);

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

-- A row per filing of every form, in its issuer's order. Those of an owner are found by the issuers that `directory`
-- has of them, since positions need what other owners of these issuers report, too.
CREATE TABLE IF NOT EXISTS balances (
  issuer_cik   UInt64,
  accession    String,
  filed_at     DateTime('UTC'),
  owner_ciks   Array(UInt64),
  owner_names  Array(String),
  -- The period of report; empty where the filing gives none.
  period       String,
  -- The filing says that its owners need not report any more.
  exit         Bool,
  -- The day of filing is only made out from a signature, the period or another date.
  estimated    Bool,
  -- 1970 for one that the SEC has not withdrawn.
  withdrawn_at DateTime('UTC'),
  -- The evidence of the filing, as the domain made it, in JSON.
  content      String CODEC(ZSTD(1)),
  version      UInt64,
  deleted      UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (issuer_cik, accession)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1099511627776, merge_selector_base = 10;

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

-- Companies and insiders as the search finds them, a row for each, made of the lists of transactions and of the SEC's
-- list.
CREATE TABLE IF NOT EXISTS parties (
  kind             Enum8('company' = 0, 'insider' = 1),
  cik              UInt64,
  -- The words of all names and symbols, each after a space, then each symbol between equals signs.
  words            String,
  -- What results are ordered by: buys and sells of three years, all transactions, whether there are filings.
  recent           UInt32,
  transactions     UInt32,
  filed            Bool,
  -- The contract's SearchResult without `matched`, and its symbol.
  shown            String,
  ticker           LowCardinality(String),
  -- Of companies, as their filings say it: by the newest SIC, and by whichever filing says one last. Empty if none
  -- does.
  sector_by_sic    LowCardinality(String),
  sector_by_office LowCardinality(String),
  -- That of the totals of the list.
  version          UInt64,
  deleted          UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (kind, cik)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 1099511627776, merge_selector_base = 10;

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
  -- Of the trades: buy or sell.
  direction     LowCardinality(String),
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
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 1099511627776, allow_experimental_reverse_key = 1,
  merge_selector_base = 10;

-- Those that hold, as they are served: newest first, then by id.
CREATE TABLE IF NOT EXISTS signal_list (
  -- The seconds from its detection to the year 2106 in hexadecimal, a space, and the id.
  key          String,
  issuer_cik   UInt64,
  -- Whose transactions it rests on.
  insider_ciks Array(UInt64),
  -- The contract's Signal.
  signal       String CODEC(ZSTD(1)),
  type         Enum8(
    '' = 0, 'cluster_buy' = 1, 'cluster_sell' = 2, 'unusual_size' = 3, 'ceo_trade' = 4, 'reversal' = 5),
  severity     Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4),
  total_value  Decimal(38, 2),
  version      UInt64,
  deleted      UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY key
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 1099511627776, merge_selector_base = 10;

-- All signals, also those that have ended, each with what the list of signals showed of it and since when.
CREATE TABLE IF NOT EXISTS signal_states (
  -- As in signal_list.
  key        String,
  issuer_cik UInt64,
  -- Whose transactions it rests on: oldest first, each until the next.
  insiders   Array(Tuple(since UInt32, ciks Array(UInt64))) CODEC(ZSTD(1)),
  type       Enum8('' = 0, 'cluster_buy' = 1, 'cluster_sell' = 2, 'unusual_size' = 3, 'ceo_trade' = 4, 'reversal' = 5),
  -- Oldest first, each until the next. `signal` is the contract's Signal; empty where it did not hold.
  states     Array(Tuple(
               since UInt32, severity Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4), signal String,
               ticker String, company_name String, description String, insider_count UInt32,
               total_value Decimal(38, 2)
             )) CODEC(ZSTD(1)),
  version    UInt64,
  deleted    UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY key
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1099511627776, merge_selector_base = 10;

-- Notices of proposed sales (Form 144), and which sales count for them

-- One row for a notice, newest first.
CREATE TABLE IF NOT EXISTS notices (
  -- The seconds from its filing to the year 2106 in hexadecimal, a space, and the accession number.
  key         String,
  issuer_cik  UInt64,
  seller_cik  UInt64,
  form        LowCardinality(String),
  plan        Bool,
  -- In dollars, of all lines; null where one is suspect or can't be read.
  value       Nullable(Decimal(38, 2)),
  -- Today's state, until the day after which nothing can count any more, and the state from then on.
  state       LowCardinality(String),
  final_from  Date32,
  final_state LowCardinality(String),
  -- The notice as read with what was decided of it, in JSON.
  whole       String CODEC(ZSTD(1)),
  version     UInt64,
  deleted     UInt8,
  -- The columns of stores/notice-columns.ts.
  {fields of notices}
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY key
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 1099511627776, merge_selector_base = 10;

-- Sales that count for notices, by the id of their row.
CREATE TABLE IF NOT EXISTS notice_sales (
  sale_id         String,
  -- Of the notice.
  accession       String,
  units           Decimal(18, 4),
  -- Days on which the seller says a plan was adopted; empty where the notice names none.
  plan_adopted_on Array(Date32),
  version         UInt64,
  deleted         UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (sale_id, accession)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 1099511627776, merge_selector_base = 10;

-- Closing prices that the operator brings, and what is computed of them when they are loaded

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

-- Data sets and month files

-- A data set on its way in: its lines typed and checked, then put together by filing, in the order of issuers. What is
-- decided of them is decided as of documents, so nothing else of them is staged. Emptied before and after each load.
-- Sorted by accession number, so that they are joined range by range and memory does not grow with the quarter.
-- Statements write these columns by their order.

CREATE TABLE IF NOT EXISTS staged_lines (
  line String
) ENGINE = MergeTree
ORDER BY tuple();

-- As the lines of the other files, in `staged_details`, with what tells where the filing belongs. `problem` says why a
-- line can't be used, and only then is the line kept.
CREATE TABLE IF NOT EXISTS staged_submissions (
  accession  String,
  form       LowCardinality(String),
  -- FILING_DATE, or empty.
  filed_day  String,
  issuer_cik UInt64,
  symbol     String,
  -- The line as it is stored: an object of the columns that are not empty.
  content    String,
  problem    String,
  line       String
) ENGINE = MergeTree
ORDER BY accession
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

CREATE TABLE IF NOT EXISTS staged_filings (
  quarter     LowCardinality(String),
  issuer_cik  UInt64,
  accession   String,
  form        LowCardinality(String),
  filed_day   String,
  symbol      String,
  owner_ciks  Array(UInt64),
  -- Lines of NONDERIV_TRANS, rejected ones too: a filing keeps its ids when they come to be readable.
  row_count   UInt32,
  -- NONDERIV_TRANS_SK of those that can be used.
  places      Array(UInt32),
  -- The set has all of its files.
  has_details Bool,
  -- No line of it was rejected.
  complete    Bool,
  line_count  UInt32,
  -- Its lines, as in `filing_details`.
  content     String CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY quarter
ORDER BY (issuer_cik, accession)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1099511627776;

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

-- The id that this store and the record it was filled from have in common; the newest row counts. Stays where a rebuild
-- replaces the other tables.
CREATE TABLE IF NOT EXISTS store_identity (
  id       String,
  given_at DateTime64(6) DEFAULT now64(6)
) ENGINE = MergeTree
ORDER BY given_at;

-- Which version of this file and of the rules all rows are of; the newest row counts. Never changes its columns, since
-- every version reads it first.
CREATE TABLE IF NOT EXISTS store_version (
  -- The hash of this file; empty while tables are being replaced.
  schema   String,
  -- See stores/generation.ts.
  rules    UInt32,
  -- Names of the tables and views, so that another version drops those that it doesn't have.
  tables   Array(String),
  given_at DateTime64(6) DEFAULT now64(6)
) ENGINE = MergeTree
ORDER BY given_at;

-- Release 1.0.0 migrates the tables that it finds. It reads here that it can't use these, and says how to go back.
CREATE TABLE IF NOT EXISTS migrations (
  name       String,
  applied_at DateTime DEFAULT now(),
  breaking   Nullable(String)
) ENGINE = MergeTree
ORDER BY name;

INSERT INTO migrations (name, breaking) VALUES
  ('0001_schema.sql', NULL),
  ('0012_one_schema.sql', 'the tables have another form, which each version fills for itself');
