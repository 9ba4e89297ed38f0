-- Corrections by the SEC's dissemination service, which replace any other copy of their filing.
ALTER TABLE filings
  DROP CONSTRAINT filings_kind_check,
  ADD CONSTRAINT filings_kind_check CHECK (kind IN ('submission', 'dissemination', 'correction', 'bare'));
