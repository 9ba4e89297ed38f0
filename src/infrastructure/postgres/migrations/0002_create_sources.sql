-- Filings that a source has listed and that are not recorded yet, and those that the SEC has removed since.
CREATE TABLE fetches (
  accession       text PRIMARY KEY,
  -- Of the full submission, below /Archives/; any party's folder leads to it.
  path            text NOT NULL,
  form            text NOT NULL,
  found_by        text NOT NULL CHECK (found_by IN ('live', 'catch-up')),
  found_at        timestamptz NOT NULL DEFAULT now(),
  status          text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'recorded', 'gone')),
  attempts        integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  -- Why the last attempt failed.
  problem         text,
  settled_at      timestamptz
);
CREATE INDEX fetches_waiting ON fetches (found_by DESC, found_at) WHERE status = 'waiting';
-- For /readyz and /metrics, whose cost must not grow with history.
CREATE INDEX fetches_live ON fetches (found_at DESC) WHERE found_by = 'live';
CREATE INDEX fetches_gone ON fetches (settled_at) WHERE status = 'gone';

-- How complete each day is: Forms 4 and 4/A in the SEC's daily index, and how many of them are here.
CREATE TABLE index_days (
  day        date PRIMARY KEY,
  listed     integer NOT NULL,
  known      integer NOT NULL,
  checked_at timestamptz NOT NULL DEFAULT now()
);

-- How far each source has been read.
CREATE TABLE source_positions (
  source   text PRIMARY KEY,
  position text NOT NULL,
  moved_at timestamptz NOT NULL DEFAULT now()
);

-- What the job is about, such as the days to catch up with.
ALTER TABLE jobs ADD COLUMN args jsonb NOT NULL DEFAULT '{}';
