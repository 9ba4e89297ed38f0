-- A quarter of the SEC's insider transactions data sets on its way in: each file's lines typed and checked (problem says why
-- a line can't be used, and only then is the line kept), then one row per filing. Emptied before and after each set.
-- Sorted by accession number, so that they are joined range by range and memory does not grow with the quarter.
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
  line          String
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
  line       String
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
  line              String
) ENGINE = MergeTree
ORDER BY (accession, sk)
SETTINGS index_granularity = 4096;

-- What the domain says of names, once per distinct text.
CREATE TABLE IF NOT EXISTS staged_titles (
  roles UInt8, title String, other_text String, shown String
) ENGINE = MergeTree ORDER BY (roles, title, other_text);
-- Titles that only point to the remarks or a footnote, by owner.
CREATE TABLE IF NOT EXISTS staged_pointed_titles (
  accession String, cik UInt64, shown String, ceo Bool, chief Bool
) ENGINE = MergeTree ORDER BY (accession, cik);
-- Titles that make their holder CEO or CFO of the company named.
CREATE TABLE IF NOT EXISTS staged_chiefs (
  title String, company_name String, ceo Bool
) ENGINE = MergeTree ORDER BY (title, company_name);
CREATE TABLE IF NOT EXISTS staged_symbols (
  symbol String, symbols Array(String)
) ENGINE = MergeTree ORDER BY symbol;
CREATE TABLE IF NOT EXISTS staged_tickers (
  issuer_cik UInt64, symbols Array(String), ticker String
) ENGINE = MergeTree ORDER BY issuer_cik;
-- The time of filings whose FILING_DATE is missing.
CREATE TABLE IF NOT EXISTS staged_times (
  accession String, filed_at DateTime('UTC'), filed_day Date32, filed_basis String
) ENGINE = MergeTree ORDER BY accession;

-- A filing of the set with all that is the same for its rows.
CREATE TABLE IF NOT EXISTS staged_filings (
  accession     String,
  form          LowCardinality(String),
  filed_at      DateTime('UTC'),
  filed_day     Date32,
  filed_basis   LowCardinality(String),
  original_date String,
  issuer_cik    UInt64,
  company_name  String,
  symbols       Array(LowCardinality(String)),
  plan          Enum8('unknown' = 0, 'no' = 1, 'yes' = 2),
  owner_ciks    Array(UInt64),
  owner_names   Array(String),
  owner_titles  Array(String),
  owner_roles   Array(UInt8),
  -- The place among the owners of the one who acts for the filing.
  acting        UInt16,
  ceo           Bool,
  ceo_cfo       Bool,
  -- Lines of NONDERIV_TRANS, rejected ones too: a filing keeps its ids when they come to be readable.
  row_count     UInt32,
  -- Those of them that can be used.
  good_rows     UInt32
) ENGINE = MergeTree
ORDER BY accession
SETTINGS index_granularity = 4096;

-- The transactions of its Forms 4 and 4/A that are not here already, with what judging them needs of their filings: looked at
-- several times, where joining once costs a tenth of writing them.
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
  -- An owner of the filing is a 10% owner or an "other" owner.
  hint              Bool,
  title             LowCardinality(String),
  trade_date        LowCardinality(String),
  code              LowCardinality(String),
  acquired_disposed LowCardinality(String),
  direct_indirect   LowCardinality(String),
  shares            Decimal(18, 4),
  price             Nullable(Decimal(18, 4)),
  shares_after      Nullable(Decimal(18, 4)),
  notes             Array(LowCardinality(String))
) ENGINE = MergeTree
ORDER BY (accession, sk)
SETTINGS index_granularity = 4096;

-- Filings that are here already: from their own document, or from another set.
CREATE TABLE IF NOT EXISTS staged_known (
  accession String
) ENGINE = MergeTree ORDER BY accession;

-- Footnotes that say whether their transactions were made under a Rule 10b5-1 plan.
CREATE TABLE IF NOT EXISTS staged_plans (
  accession String, note String, says Enum8('no' = 1, 'yes' = 2)
) ENGINE = MergeTree ORDER BY accession;

-- What was decided about rows that other rows have a say in; all others are listed as they are.
CREATE TABLE IF NOT EXISTS staged_verdicts (
  accession     String,
  sk            UInt32,
  price_status  Enum8('' = 0, 'as_filed' = 1, 'zero' = 2, 'footnote_only' = 3, 'suspect' = 4, 'foreign' = 5),
  duplicate_of  String,
  superseded_by String,
  superseded_at DateTime('UTC'),
  ambiguous     Bool,
  profile_ciks  Array(UInt64)
) ENGINE = MergeTree ORDER BY (accession, sk);
-- Days on which a 4/A says its original was filed, with the 4/A's owners. As text: the year may be any.
CREATE TABLE IF NOT EXISTS staged_amended_days (
  issuer_cik UInt64, day String, owner_ciks Array(UInt64)
) ENGINE = MergeTree ORDER BY (issuer_cik, day);

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
