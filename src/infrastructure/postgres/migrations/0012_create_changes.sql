-- The numbered log of what became visible in ClickHouse, read by every process that keeps answers in memory. The row of
-- `change_position` is locked until the statement that takes a number has committed, so numbers appear in the order of
-- commits: a reader that has seen 7 never misses a 6 that commits later, as with a sequence.
CREATE TABLE change_position (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  last bigint NOT NULL DEFAULT 0,
  pruned_to bigint NOT NULL DEFAULT 0
);
INSERT INTO change_position DEFAULT VALUES;

CREATE TABLE changes (
  seq bigint PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  -- {"parts": ["issuer:…", "insider:…", "symbol:…", "signals"], "feed": [filing times]}; {} for everything
  scope jsonb NOT NULL
);
CREATE INDEX changes_at ON changes (at);
