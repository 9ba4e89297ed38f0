-- Issuers with newly projected filings, whose signals have to be detected again. The version shows what was added while
-- an issuer was being processed.
CREATE TABLE signal_queue (
  issuer_cik text PRIMARY KEY,
  version    bigint NOT NULL
);
