-- Filings that are fetched again, because they could not be read or were not there.

-- The version of the reader that had the document last; NULL before it was kept, so that this version tries once more.
ALTER TABLE fetches ADD COLUMN reader integer;

-- Filings that the index names and that are not recorded, with their forms: {"0001999001-26-000001": "4"}. NULL for a
-- day that was compared before they were kept: its index is read once more.
ALTER TABLE index_days ADD COLUMN missing jsonb;
