-- How fast jobs go on.

-- What a running job does at present and how fast, as JSON of the port of the system; null where it is not measured.
ALTER TABLE jobs ADD COLUMN pace jsonb;
