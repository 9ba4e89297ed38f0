-- When ingestion began last: only before it has begun after a crash can positions above `last` have been given.
ALTER TABLE change_position ADD COLUMN began_at timestamptz;
