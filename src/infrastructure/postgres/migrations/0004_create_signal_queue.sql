-- Issuers of which something new is projected, so that their signals may be others now. The version tells what was added
-- while an issuer was judged.
CREATE TABLE signal_queue (
  issuer_cik text PRIMARY KEY,
  version    bigint NOT NULL
);
