-- Closing prices that the operator brings.

-- A row for a share and year: by day, as numbers since 1970-01-01.
CREATE TABLE closing_prices (
  symbol text NOT NULL,
  year   smallint NOT NULL,
  days   integer[] NOT NULL,
  closes double precision[] NOT NULL,
  PRIMARY KEY (symbol, year)
);

CREATE TABLE price_loads (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  loaded_at timestamptz NOT NULL DEFAULT now(),
  source    text NOT NULL,
  rows      bigint NOT NULL,
  rejected  bigint NOT NULL,
  -- The symbol that averages are compared with from then on; empty for none.
  benchmark text NOT NULL
);
