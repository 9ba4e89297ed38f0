-- The ledger: one row per accession number. ClickHouse is filled from it and can be refilled at any time.
CREATE TABLE filings (
  accession     text PRIMARY KEY,
  -- Order of arrival. It only decides which filing is projected first, never what a reader sees.
  seq           bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  status        text NOT NULL CHECK (status IN ('recorded', 'projected', 'rejected', 'replaced')),
  -- ClickHouse does not yet say what this row says.
  pending       boolean NOT NULL,
  -- Why a rejected document could not be read, in one line.
  reason        text,
  -- The accession of the full submission that took a bare document's place.
  replaced_by   text,
  kind          text CHECK (kind IN ('submission', 'dissemination', 'bare')),
  form          text,
  issuer_cik    text,
  owner_ciks    text[] NOT NULL DEFAULT '{}',
  period        text,
  -- EDGAR's acceptance; null where the document does not show it.
  accepted_at   timestamptz,
  -- The instant the feed orders by: the acceptance, else what filed_basis names.
  filed_at      timestamptz,
  filed_basis   text,
  -- Table I transactions of a Form 4 or 4/A.
  transactions  integer NOT NULL DEFAULT 0,
  -- SHA-256 over issuer, owners, period and rows: equal for a bare document and the submission it was cut from.
  content_hash  bytea,
  sha256        bytea NOT NULL,
  bytes         integer NOT NULL,
  -- The document as it came, gzip.
  document      bytea NOT NULL,
  source        text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  recorded_at   timestamptz NOT NULL DEFAULT now(),
  projected_at  timestamptz,
  -- The version its analytics rows were last written with.
  version       bigint
);
-- Compressed already: a second compression in TOAST would only cost time.
ALTER TABLE filings ALTER COLUMN document SET STORAGE EXTERNAL;

CREATE INDEX filings_pending ON filings (seq) WHERE pending;
CREATE INDEX filings_content ON filings (content_hash) WHERE content_hash IS NOT NULL;
CREATE INDEX filings_issuer ON filings (issuer_cik, seq);
CREATE INDEX filings_rejected ON filings (recorded_at) WHERE status = 'rejected';

-- Copies that a better one replaced: a bare document by its full submission. They are kept, and read again to retract
-- the analytics rows that only they produced.
CREATE TABLE replaced_documents (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  accession     text NOT NULL REFERENCES filings,
  sha256        bytea NOT NULL,
  document      bytea NOT NULL,
  source        text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  replaced_at   timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE replaced_documents ALTER COLUMN document SET STORAGE EXTERNAL;
CREATE INDEX replaced_documents_accession ON replaced_documents (accession);

-- Each projected batch gets a higher number, so that a row written later replaces the same row written before.
CREATE SEQUENCE projection_version;

-- The SEC's list of companies as last loaded, in its order: the first symbol of an issuer is its main one.
CREATE TABLE company_list (
  place    integer PRIMARY KEY,
  ticker   text NOT NULL,
  cik      text NOT NULL,
  name     text NOT NULL,
  exchange text
);
CREATE INDEX company_list_cik ON company_list (cik);

CREATE TABLE company_list_loads (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  loaded_at timestamptz NOT NULL DEFAULT now(),
  source    text NOT NULL,
  sha256    bytea NOT NULL,
  companies integer NOT NULL
);

-- Work that needs ClickHouse and was requested while another process holds its lock.
CREATE TABLE jobs (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind        text NOT NULL,
  status      text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'done', 'failed')),
  done        bigint NOT NULL DEFAULT 0,
  total       bigint,
  result      jsonb,
  error       text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  started_at  timestamptz,
  finished_at timestamptz
);
CREATE INDEX jobs_waiting ON jobs (id) WHERE status IN ('queued', 'running');
