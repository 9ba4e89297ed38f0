-- Issuers whose filings show no SIC, to be looked up at EDGAR.
CREATE TABLE issuer_sic (
  issuer_cik  bigint PRIMARY KEY,
  -- Four digits; null until EDGAR has given one.
  sic         text,
  -- Those that filed last were entered first, and are asked for first.
  place       bigint GENERATED ALWAYS AS IDENTITY,
  -- Requests that failed since the last answer.
  failures    integer NOT NULL DEFAULT 0,
  next_ask_at timestamptz NOT NULL DEFAULT now(),
  -- Of the last answer, whatever it was.
  answered_at timestamptz,
  problem     text
);
CREATE INDEX issuer_sic_due ON issuer_sic (next_ask_at, place) WHERE sic IS NULL;

-- A company can be watched by its CIK. Existing entries of digits, or of `CIK` and digits, matched nothing: they are
-- converted to the required form. Of several for one company the one with an address stays, else the oldest.
DELETE FROM watchlist USING (
  SELECT key_id, ticker, row_number() OVER (PARTITION BY key_id, lpad(replace(ticker, 'CIK', ''), 10, '0')
    ORDER BY webhook_url IS NULL, added_at, ticker) AS place
  FROM watchlist WHERE ticker ~ '^(CIK)?[0-9]{1,10}$') AS named
WHERE watchlist.key_id = named.key_id AND watchlist.ticker = named.ticker AND named.place > 1;
UPDATE watchlist SET ticker = 'CIK' || lpad(replace(ticker, 'CIK', ''), 10, '0') WHERE ticker ~ '^(CIK)?[0-9]{1,10}$';
