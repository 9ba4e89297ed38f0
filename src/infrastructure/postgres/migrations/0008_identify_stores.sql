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
