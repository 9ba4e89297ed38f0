-- How often a job was started. One that crashes the process or the store must not be restarted endlessly.
ALTER TABLE jobs ADD COLUMN attempts integer NOT NULL DEFAULT 0;
