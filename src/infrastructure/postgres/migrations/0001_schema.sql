-- The record, as of release 1.0.0: everything that can't be made again. Later releases add migrations beside this file
-- and never change it. ClickHouse is filled from these tables and can be refilled at any time.

-- Filings

-- The ledger: one row per accession number.
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
  -- A correction by the SEC's dissemination service replaces any other copy of its filing.
  kind          text CHECK (kind IN ('submission', 'dissemination', 'correction', 'bare')),
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

-- Each projected batch gets a higher number, so that a row written later replaces the same row written before.
CREATE SEQUENCE projection_version;

-- Issuers with newly projected filings, whose signals have to be detected again. The version shows what was added while
-- an issuer was being processed.
CREATE TABLE signal_queue (
  issuer_cik text PRIMARY KEY,
  version    bigint NOT NULL,
  -- The issuer waits for historical filings only, which raise no alerts.
  silent     boolean NOT NULL DEFAULT false
);

-- The SEC's insider transactions data sets

-- Which quarters are loaded; their zips are kept as files.
CREATE TABLE data_sets (
  quarter    text PRIMARY KEY,
  sha256     text NOT NULL,
  source     text NOT NULL,
  status     text NOT NULL CHECK (status IN ('loading', 'loaded')),
  result     jsonb,
  -- Issuers to reconcile again, stored before the first row is written, so that a repeated load finds them.
  owed       bigint[] NOT NULL DEFAULT '{}',
  started_at timestamptz NOT NULL DEFAULT now(),
  loaded_at  timestamptz
);

-- The keys of the rows in ClickHouse of a filing that a data set gave, to retract them: a filing's own document, once
-- recorded, replaces what its data set had.
CREATE TABLE data_set_filings (
  accession  text PRIMARY KEY,
  quarter    text NOT NULL,
  form       text NOT NULL,
  issuer_cik bigint NOT NULL,
  filed_at   timestamptz NOT NULL,
  owner_ciks bigint[] NOT NULL,
  symbols    text[] NOT NULL,
  -- 1 for a single row, else the rows' numbers in the set.
  places     bigint[] NOT NULL
);
CREATE INDEX data_set_filings_quarter ON data_set_filings USING brin (quarter);

-- Filings that a new edition of a data set lacks or has changed, as they were before: kept until all rows that follow
-- are written.
CREATE TABLE data_set_gone (LIKE data_set_filings INCLUDING DEFAULTS);

-- EDGAR

-- Filings that a source has listed and that are not recorded yet, and those that the SEC has removed since.
CREATE TABLE fetches (
  accession       text PRIMARY KEY,
  -- Of the full submission, below /Archives/; any party's folder leads to it.
  path            text NOT NULL,
  form            text NOT NULL,
  found_by        text NOT NULL CHECK (found_by IN ('live', 'catch-up')),
  found_at        timestamptz NOT NULL DEFAULT now(),
  status          text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'recorded', 'gone')),
  attempts        integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  -- Why the last attempt failed.
  problem         text,
  settled_at      timestamptz
);
CREATE INDEX fetches_waiting ON fetches ((form IN ('4', '4/A')), found_by DESC, found_at) WHERE status = 'waiting';
-- For /readyz and /metrics, whose cost must not grow with history.
CREATE INDEX fetches_live ON fetches (found_at DESC) WHERE found_by = 'live';
CREATE INDEX fetches_gone ON fetches (settled_at) WHERE status = 'gone';

-- How complete each day is: filings in the SEC's daily index, and how many of them are here.
CREATE TABLE index_days (
  day          date PRIMARY KEY,
  -- Forms 4 and 4/A.
  listed       integer NOT NULL,
  known        integer NOT NULL,
  checked_at   timestamptz NOT NULL DEFAULT now(),
  -- Forms 3 and 5 and their amendments. This and `forms` are null for a day of which only Forms 4 and 4/A were
  -- compared.
  other_listed integer,
  other_known  integer,
  -- {"4": {"listed": 900, "known": 900}, ...}
  forms        jsonb
);

-- How far each source has been read.
CREATE TABLE source_positions (
  source   text PRIMARY KEY,
  position text NOT NULL,
  moved_at timestamptz NOT NULL DEFAULT now()
);

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

-- Keys, watchlists and webhooks

-- Who may keep a watchlist. Of a key's own secret only the SHA-256 is here; the secret its webhooks are signed with is
-- encrypted, since signing needs it.
CREATE TABLE api_keys (
  id              text PRIMARY KEY,
  name            text NOT NULL,
  secret_hash     bytea NOT NULL,
  webhook_secret  bytea NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  expires_at      timestamptz,
  revoked_at      timestamptz,
  last_used_at    timestamptz,
  -- When the holder of the key had something sent in the last hour, a test or a delivery again: both are limited.
  requested_sends timestamptz[] NOT NULL DEFAULT '{}'
);

-- Secrets that sign beside a key's own until then: a key may be given a new one more than once in a day, and its
-- receivers may still know any of them.
CREATE TABLE former_webhook_secrets (
  key_id text NOT NULL REFERENCES api_keys,
  secret bytea NOT NULL,
  until  timestamptz NOT NULL
);
CREATE INDEX former_webhook_secrets_key ON former_webhook_secrets (key_id, until);

CREATE TABLE watchlist (
  key_id      text NOT NULL REFERENCES api_keys,
  -- A symbol in canonical form (upper case, `-` between classes), or `CIK` and ten digits.
  ticker      text NOT NULL,
  webhook_url text,
  -- Transactions of its events have their details.
  detail      boolean NOT NULL DEFAULT false,
  added_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (key_id, ticker)
);
CREATE INDEX watchlist_alerted ON watchlist (ticker) WHERE webhook_url IS NOT NULL;
CREATE INDEX watchlist_detailed ON watchlist (key_id) WHERE detail;

-- Rules by which transactions and signals of any company raise alerts. The filter is as the contract has it.
CREATE TABLE alert_rules (
  id              text PRIMARY KEY,
  key_id          text NOT NULL REFERENCES api_keys,
  name            text NOT NULL,
  enabled         boolean NOT NULL,
  events          text[] NOT NULL,
  filter          jsonb NOT NULL,
  signal_types    text[],
  min_severity    text,
  url             text NOT NULL,
  format          text NOT NULL CHECK (format IN ('standard', 'slack', 'discord')),
  detail          boolean NOT NULL,
  created_at      timestamptz NOT NULL,
  updated_at      timestamptz NOT NULL,
  last_matched_at timestamptz
);
CREATE INDEX alert_rules_key ON alert_rules (key_id, created_at DESC, id);

-- One row from the first change of a rule on, incremented by each: who keeps the rules in memory reads them again when it differs. Its row is
-- locked until the change has committed, so the rules that are read with a version are all of its rules.
CREATE TABLE alert_rules_version (
  one     boolean PRIMARY KEY DEFAULT true CHECK (one),
  version bigint NOT NULL DEFAULT 0
);

-- All that alerts may go to. A rule that is switched off keeps its address: what it raised before is still sent.
CREATE VIEW alert_addresses AS
  SELECT key_id, webhook_url AS url, 'standard' AS format FROM watchlist WHERE webhook_url IS NOT NULL
  UNION ALL
  SELECT key_id, url, format FROM alert_rules;

-- Events, each once: the id is derived from the subject, so that projecting or detecting again raises no second event.
-- Stored without data if no key watched.
CREATE TABLE events (
  id         text PRIMARY KEY,
  type       text NOT NULL,
  issuer_cik text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  data       text
);
CREATE INDEX events_created ON events (created_at);
-- Deliveries about one company, among the many of a key that watches a thousand.
CREATE INDEX events_issuer ON events (issuer_cik);

-- An address as one key has it, there from its first failure on.
CREATE TABLE endpoints (
  key_id          text NOT NULL REFERENCES api_keys,
  url             text NOT NULL,
  -- All attempts since then have failed. While it is set, one delivery at a time is tried.
  failing_since   timestamptz,
  disabled_at     timestamptz,
  disabled_reason text,
  -- The time of the last failed attempt: one long ago does not show that the address failed since.
  failed_at       timestamptz,
  -- Why that attempt failed.
  failure         text,
  PRIMARY KEY (key_id, url)
);

-- The outbox and its results: one row for each event, key, address and format. Redis can lose everything it has of
-- these rows.
CREATE TABLE deliveries (
  -- The webhook-id.
  id              text PRIMARY KEY,
  event_id        text NOT NULL REFERENCES events,
  key_id          text NOT NULL REFERENCES api_keys,
  url             text NOT NULL,
  format          text NOT NULL DEFAULT 'standard' CHECK (format IN ('standard', 'slack', 'discord')),
  -- As it stands on the watchlist, or the company's where only rules match, for events that name it; null for others.
  ticker          text,
  -- What matched: [{"kind": "alert", "id": …, "name": …, "passing": [places among the event's transactions], "of": how
  -- many it lists, "detail": true}, {"kind": "watchlist", "ticker": …}]. Without `passing` all transactions are sent.
  matched         jsonb,
  status          text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'delivered', 'dead')),
  -- Why it is dead.
  reason          text,
  attempts        integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  -- In the stream since then; null again after a failed attempt.
  published_at    timestamptz,
  -- Who is at it may send until then, and settles under this name alone.
  lease           text,
  leased_until    timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now(),
  settled_at      timestamptz
);
CREATE INDEX deliveries_due ON deliveries (next_attempt_at) WHERE status = 'waiting' AND published_at IS NULL;
CREATE INDEX deliveries_published ON deliveries (published_at) WHERE status = 'waiting' AND published_at IS NOT NULL;
CREATE INDEX deliveries_endpoint ON deliveries (key_id, url) WHERE status = 'waiting';
CREATE INDEX deliveries_dead ON deliveries (settled_at) WHERE status = 'dead';
CREATE INDEX deliveries_created ON deliveries (created_at);
CREATE INDEX deliveries_event ON deliveries (event_id);
-- Deliveries of a key, newest first, for its holder.
CREATE INDEX deliveries_key ON deliveries (key_id, created_at DESC, id DESC);
-- Those of a rule, by its id in `matched`.
CREATE INDEX deliveries_matched ON deliveries USING gin (matched jsonb_path_ops) WHERE matched IS NOT NULL;

CREATE TABLE delivery_attempts (
  delivery_id  text NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  number       integer NOT NULL,
  at           timestamptz NOT NULL,
  milliseconds real NOT NULL,
  -- Of the answer; null where none came.
  status       integer,
  error        text,
  -- The first 16 KiB of its body.
  answer       bytea,
  PRIMARY KEY (delivery_id, number)
);

-- The log of changes

-- The row is locked until the statement that takes a number has committed, so numbers appear in the order of commits: a
-- reader that has seen 7 never misses a 6 that commits later, as with a sequence.
CREATE TABLE change_position (
  one       boolean PRIMARY KEY DEFAULT true CHECK (one),
  last      bigint NOT NULL DEFAULT 0,
  pruned_to bigint NOT NULL DEFAULT 0,
  -- What has to be reported when the work that was begun ends, by whichever process finds it ended.
  owed      jsonb,
  -- When ingestion began last: only before it has begun after a crash can positions above `last` have been given.
  began_at  timestamptz
);
INSERT INTO change_position DEFAULT VALUES;

-- What became visible in ClickHouse, numbered. An entry is either for the other processes, which keep answers in
-- memory, or for callers, one for each filing and signal that changed; it leaves the columns of the other kind empty.
CREATE TABLE changes (
  seq         bigint PRIMARY KEY,
  at          timestamptz NOT NULL DEFAULT now(),
  -- For processes: {"parts": ["issuer:…", "insider:…", "symbol:…", "signals"], "feed": [filing times]}; {} for
  -- everything.
  scope       jsonb,
  -- For callers, from here on.
  id          text UNIQUE,
  type        text,
  -- Null for changes of all issuers.
  issuer_ciks text[],
  -- The data of the body, as JSON.
  data        text,
  -- What callers filter changes by: {"rows": [{"type": "buy", …}]} of the transactions that a change lists, supersedes
  -- or removes, {"severity": …, "persons": [CIK, …]} of a signal; null of anything else.
  facts       jsonb
);
CREATE INDEX changes_at ON changes (at);

-- The service

-- Work that needs ClickHouse and was requested while another process holds its lock.
CREATE TABLE jobs (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind        text NOT NULL,
  -- The operator can cancel a job: a queued one at once, a running one through the process that runs it, which watches
  -- for `cancelling`.
  status      text NOT NULL DEFAULT 'queued'
    CHECK (status IN ('queued', 'running', 'cancelling', 'done', 'failed', 'cancelled')),
  done        bigint NOT NULL DEFAULT 0,
  total       bigint,
  result      jsonb,
  error       text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  started_at  timestamptz,
  finished_at timestamptz,
  -- What the job is about, such as the days to catch up with.
  args        jsonb NOT NULL DEFAULT '{}',
  -- How often it was started. One that crashes the process or the store must not be restarted endlessly.
  attempts    integer NOT NULL DEFAULT 0
);
CREATE INDEX jobs_waiting ON jobs (id) WHERE status IN ('queued', 'running', 'cancelling');

-- The id that this database shares with the ClickHouse filled from it.
CREATE TABLE store_identity (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  id  text NOT NULL
);

-- A text encrypted with the key that encrypts the secrets of API keys, by which later starts recognise that key.
CREATE TABLE secrets_key_check (
  one    boolean PRIMARY KEY DEFAULT true CHECK (one),
  sealed bytea NOT NULL
);
