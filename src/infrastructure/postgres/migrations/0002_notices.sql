-- Notices of proposed sales (Form 144).

CREATE TABLE notices (
  accession     text PRIMARY KEY,
  kind          text NOT NULL CHECK (kind IN ('submission', 'dissemination', 'correction', 'bare')),
  form          text NOT NULL,
  issuer_cik    text NOT NULL,
  seller_cik    text NOT NULL,
  -- The instant the list orders by: the acceptance, else what filed_basis names.
  filed_at      timestamptz NOT NULL,
  filed_basis   text NOT NULL,
  -- New York day of filing.
  filed_day     date NOT NULL,
  -- What was read of the document: no addresses, phones, e-mails, or access codes.
  notice        jsonb NOT NULL,
  -- SHA-256 over what was read of the XML: equal for a bare document and the submission it was cut from.
  content_hash  bytea NOT NULL,
  bytes         integer NOT NULL,
  -- The document as it came, gzip.
  document      bytea NOT NULL,
  source        text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  recorded_at   timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE notices ALTER COLUMN document SET STORAGE EXTERNAL;
CREATE INDEX notices_issuer ON notices (issuer_cik);
CREATE INDEX notices_content ON notices (content_hash);

-- Issuers with a new notice, or notices and newly projected filings: their notices have to be linked to sales again. The
-- version shows what was added while an issuer was being processed.
CREATE TABLE notice_queue (
  issuer_cik text PRIMARY KEY,
  version    bigint NOT NULL
);

-- Notices of the companies on a watchlist raise alerts as well.
ALTER TABLE watchlist ADD COLUMN notices boolean NOT NULL DEFAULT false;
