-- Whose transactions a signal rests on, for the filter by insiders. Rows of earlier versions have none until the rebuild
-- that follows the upgrade.

ALTER TABLE signal_list ADD COLUMN IF NOT EXISTS insider_ciks Array(UInt64) AFTER issuer_cik;
-- Oldest first, each until the next.
ALTER TABLE signal_states ADD COLUMN IF NOT EXISTS insiders Array(Tuple(since UInt32, ciks Array(UInt64)))
  CODEC(ZSTD(1)) AFTER issuer_cik;
