-- runs with: 20261202030100_files_of_jobs
-- The trace in which a request and its legs were stored, and a webhook accepted: what goes on later links to it.
ALTER TABLE "operation" ADD COLUMN     "trace_parent" TEXT DEFAULT current_setting('switchyard.trace_parent'::text, true);

ALTER TABLE "leg" ADD COLUMN     "trace_parent" TEXT DEFAULT current_setting('switchyard.trace_parent'::text, true);

-- Several webhooks are stored by one statement, which names the trace of each.
ALTER TABLE "inbox_event" ADD COLUMN     "trace_parent" TEXT;
