-- Who may keep a watchlist. Of a key's own secret only the SHA-256 is here; the secret its webhooks are signed with is
-- encrypted, since signing needs it.
CREATE TABLE api_keys (
  id                      text PRIMARY KEY,
  name                    text NOT NULL,
  secret_hash             bytea NOT NULL,
  webhook_secret          bytea NOT NULL,
  -- After a rotation both sign until then.
  previous_webhook_secret bytea,
  previous_until          timestamptz,
  created_at              timestamptz NOT NULL DEFAULT now(),
  expires_at              timestamptz,
  revoked_at              timestamptz,
  last_used_at            timestamptz
);

CREATE TABLE watchlist (
  key_id      text NOT NULL REFERENCES api_keys,
  -- Canonical: upper case, `-` between classes.
  ticker      text NOT NULL,
  webhook_url text,
  added_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (key_id, ticker)
);
CREATE INDEX watchlist_alerted ON watchlist (ticker) WHERE webhook_url IS NOT NULL;

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

-- An address as one key has it, there from its first failure on.
CREATE TABLE endpoints (
  key_id          text NOT NULL REFERENCES api_keys,
  url             text NOT NULL,
  -- All attempts since then have failed. While it is set, one delivery at a time is tried.
  failing_since   timestamptz,
  disabled_at     timestamptz,
  disabled_reason text,
  PRIMARY KEY (key_id, url)
);

-- The outbox and its results: one row for each event, key and address. Redis can lose everything it has of these rows.
CREATE TABLE deliveries (
  -- The webhook-id.
  id              text PRIMARY KEY,
  event_id        text NOT NULL REFERENCES events,
  key_id          text NOT NULL REFERENCES api_keys,
  url             text NOT NULL,
  -- As it stands on the watchlist, for events that name it; null for the others.
  ticker          text,
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
