-- The id that this record and the ClickHouse filled from it have in common.
CREATE TABLE store_identity (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  id  text NOT NULL
);

-- A text sealed with the key that the secrets of API keys are sealed with, by which that key is known again.
CREATE TABLE secrets_key_check (
  one    boolean PRIMARY KEY DEFAULT true CHECK (one),
  sealed bytea NOT NULL
);
