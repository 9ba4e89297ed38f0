-- How often a job was begun. One that takes the process or the store with it must not be begun for ever.
ALTER TABLE jobs ADD COLUMN attempts integer NOT NULL DEFAULT 0;
