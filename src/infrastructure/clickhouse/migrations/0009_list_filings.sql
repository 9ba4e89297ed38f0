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
  FROM directory
  WHERE kind IN ('issuer', 'owner')
);

INSERT INTO directory SELECT * FROM directory FINAL WHERE kind IN ('issuer', 'owner') SETTINGS max_execution_time = 0;
