-- The id that this store and the record it was filled from have in common; the newest row counts.
CREATE TABLE IF NOT EXISTS store_identity (
  id       String,
  given_at DateTime64(6) DEFAULT now64(6)
) ENGINE = MergeTree
ORDER BY given_at;
