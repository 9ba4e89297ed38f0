-- For callers: an entry with data for each filing and signal that changed, in the same log as the scopes that
-- processes exchange. Entries of either kind leave the columns of the other empty.
ALTER TABLE changes ALTER COLUMN scope DROP NOT NULL;
ALTER TABLE changes
  ADD COLUMN id text UNIQUE,
  ADD COLUMN type text,
  -- null for changes of all issuers
  ADD COLUMN issuer_ciks text[],
  -- the data of the body, as JSON
  ADD COLUMN data text;

-- What has to be reported when the work that was begun ends, by whichever process finds it ended.
ALTER TABLE change_position ADD COLUMN owed jsonb;
