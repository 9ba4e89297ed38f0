-- Revisions of filings.

-- Raised by whatever changes the row, by the version before this one too: what was made from an older revision does not
-- mark the filing as projected. That version has the name `revision` in its statements, for another value.
ALTER TABLE filings ADD COLUMN record_revision bigint NOT NULL DEFAULT 1;
CREATE FUNCTION raise_record_revision() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN NEW.record_revision := OLD.record_revision + 1; RETURN NEW; END $$;
CREATE TRIGGER filings_revision BEFORE UPDATE ON filings FOR EACH ROW EXECUTE FUNCTION raise_record_revision();
