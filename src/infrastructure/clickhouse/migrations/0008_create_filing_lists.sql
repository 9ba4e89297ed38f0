-- Filings of all forms as they are listed: one row for the list of all, one for the company's, one for each owner's, made
-- from the issuer's entry in the directory as it comes in. A page is one range of keys.
CREATE TABLE IF NOT EXISTS filing_lists (
  -- The list (`f` all, `c` and a company's CIK, `i` and an owner's), a colon, the filing time in seconds in hexadecimal and
  -- the accession number.
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
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 10737418240, allow_experimental_reverse_key = 1,
  merge_selector_base = 10;

-- As with trades: entries that the engine writes in bulk go through here, live ones are written into each table.
CREATE TABLE IF NOT EXISTS incoming_directory AS directory ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS store_directory TO directory AS
SELECT *
FROM incoming_directory
WHERE 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS list_all_filings TO filing_lists AS
SELECT
  concat(list, ':', leftPad(hex(toUnixTimestamp(filed_at)), 8, '0'), accession) AS key,
  issuer_cik, form, name, directory_symbols AS symbols, owner_ciks, version, deleted
FROM (
  SELECT
    filed_at, accession, issuer_cik, form, name, symbols AS directory_symbols, owner_ciks, version, deleted,
    arrayJoin(arrayConcat(
      ['f', concat('c', leftPad(toString(issuer_cik), 10, '0'))],
      arrayMap(cik -> concat('i', leftPad(toString(cik), 10, '0')), owner_ciks)
    )) AS list
  FROM incoming_directory
  WHERE kind = 'issuer'
);

-- The filings of a company and of an insider behind their transactions in `transaction_lists`, so that a profile is one
-- range of keys and one statement: 5 times SELECT 1, where the directory beside it made 7. In the key a `#` takes the
-- place of the colon, in `summed` stand the party's name, the symbols typed, the sector and the SIC.
CREATE MATERIALIZED VIEW IF NOT EXISTS list_filings TO transaction_lists AS
SELECT
  concat(if(kind = 'issuer', 'c', 'i'), party, '#', leftPad(hex(toUnixTimestamp(filed_at)), 8, '0'), accession) AS key,
  issuer_cik,
  if(deleted, '', toJSONString((toString(name), directory_symbols, toString(sector), toString(sic)))) AS summed,
  version, deleted
FROM (
  SELECT *, key AS party, symbols AS directory_symbols
  FROM incoming_directory
  WHERE kind IN ('issuer', 'owner')
);

-- Entries that are here already, written again under the version they have.
INSERT INTO incoming_directory SELECT * FROM directory FINAL SETTINGS max_execution_time = 0;
