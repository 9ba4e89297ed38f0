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
  FROM directory
  WHERE kind = 'issuer'
);

-- Entries that are here already, written again under the version they have.
INSERT INTO directory SELECT * FROM directory FINAL WHERE kind = 'issuer' SETTINGS max_execution_time = 0;
