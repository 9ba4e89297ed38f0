-- Rows of all datasets that are made from filings themselves are staged at once, so that filings are read once.
ALTER TABLE staged_export_rows ADD COLUMN IF NOT EXISTS dataset LowCardinality(String) FIRST;
