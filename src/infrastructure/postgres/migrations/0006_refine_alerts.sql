-- Secrets that sign beside a key's own until then: a key may be given a new one more than once in a day, and its
-- receivers may still know any of them.
CREATE TABLE former_webhook_secrets (
  key_id text NOT NULL REFERENCES api_keys,
  secret bytea NOT NULL,
  until  timestamptz NOT NULL
);
CREATE INDEX former_webhook_secrets_key ON former_webhook_secrets (key_id, until);
INSERT INTO former_webhook_secrets (key_id, secret, until)
  SELECT id, previous_webhook_secret, previous_until
  FROM api_keys
  WHERE previous_webhook_secret IS NOT NULL
    AND previous_until > now();
ALTER TABLE api_keys DROP COLUMN previous_webhook_secret, DROP COLUMN previous_until;

-- The time of the last failed attempt: one long ago does not show that the address failed since.
ALTER TABLE endpoints ADD COLUMN failed_at timestamptz;
UPDATE endpoints SET failed_at = failing_since;

-- Whether the issuer waits for historical filings only, which raise no alerts.
ALTER TABLE signal_queue ADD COLUMN silent boolean NOT NULL DEFAULT false;
