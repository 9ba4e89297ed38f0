-- Corrections by the SEC's dissemination service, which replace any other copy of their filing.
ALTER TABLE filings
  DROP CONSTRAINT filings_kind_check,
  ADD CONSTRAINT filings_kind_check CHECK (kind IN ('submission', 'dissemination', 'correction', 'bare'));

-- Filings that the SEC has withdrawn. A row can come before its filing, and stays whatever comes later.
CREATE TABLE withdrawals (
  accession   text PRIMARY KEY,
  -- When the record of the deletion was received: it takes effect then.
  received_at timestamptz NOT NULL,
  source      text NOT NULL,
  -- Only a data set had the filing then, and ClickHouse does not yet say that it is withdrawn.
  pending     boolean NOT NULL
);
CREATE INDEX withdrawals_pending ON withdrawals (accession) WHERE pending;
