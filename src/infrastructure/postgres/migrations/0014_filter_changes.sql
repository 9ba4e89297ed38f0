-- What callers filter changes by: {"rows": [{"type": "buy", …}]} of the transactions that a change lists, supersedes or
-- removes, {"severity": …, "persons": [CIK, …]} of a signal; null of anything else, and of changes logged before.
ALTER TABLE changes ADD COLUMN facts jsonb;
