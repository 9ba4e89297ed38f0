-- Of Forms 3 and 5 and their amendments the same as of Forms 4 and 4/A, and all of them by form. Null for days of which
-- only Forms 4 and 4/A were compared.
ALTER TABLE index_days
  ADD COLUMN other_listed integer,
  ADD COLUMN other_known integer,
  -- {"4": {"listed": 900, "known": 900}, ...}
  ADD COLUMN forms jsonb;

DROP INDEX fetches_waiting;
CREATE INDEX fetches_waiting ON fetches ((form IN ('4', '4/A')), found_by DESC, found_at) WHERE status = 'waiting';
