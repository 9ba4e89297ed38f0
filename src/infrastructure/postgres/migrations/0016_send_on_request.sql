-- Deliveries of a key, newest first, for its holder.
CREATE INDEX deliveries_key ON deliveries (key_id, created_at DESC, id DESC);

-- When the holder of the key had something sent in the last hour, a test or a delivery again: both are limited.
ALTER TABLE api_keys ADD COLUMN requested_sends timestamptz[] NOT NULL DEFAULT '{}';
