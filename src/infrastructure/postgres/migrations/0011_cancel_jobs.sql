-- The operator can cancel a job: a queued one at once, a running one through the process that runs it, which watches
-- for `cancelling`.
ALTER TABLE jobs DROP CONSTRAINT jobs_status_check;
ALTER TABLE jobs ADD CONSTRAINT jobs_status_check
  CHECK (status IN ('queued', 'running', 'cancelling', 'done', 'failed', 'cancelled'));
DROP INDEX jobs_waiting;
CREATE INDEX jobs_waiting ON jobs (id) WHERE status IN ('queued', 'running', 'cancelling');
