-- Of several symbols in a filing, the title of a row's security decides which is shown.
ALTER TABLE staged_tickers ADD COLUMN IF NOT EXISTS title String DEFAULT '' AFTER symbols;
