-- Filings that the SEC has withdrawn are in no list of filings. The directory keeps them for answers as of an instant
-- before.
DROP VIEW IF EXISTS list_all_filings;
DROP VIEW IF EXISTS store_directory;

ALTER TABLE directory ADD COLUMN IF NOT EXISTS withdrawn Bool;
ALTER TABLE incoming_directory ADD COLUMN IF NOT EXISTS withdrawn Bool;

-- Those of a data set on its way in.
CREATE TABLE IF NOT EXISTS staged_withdrawn (
  accession   String,
  received_at DateTime('UTC')
) ENGINE = MergeTree
ORDER BY accession;

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

CREATE MATERIALIZED VIEW IF NOT EXISTS store_directory TO directory AS
SELECT *
FROM incoming_directory
WHERE 1;
