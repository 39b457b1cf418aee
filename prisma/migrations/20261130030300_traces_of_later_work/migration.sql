-- runs with: 20261130030200_figures_of_open_work
-- The trace in which later work was begun (W3C Trace Context): its own trace links that one. The transaction says it, where traces
-- are recorded, so that no statement has to name it.
ALTER TABLE "outbox_event" ADD COLUMN     "trace_parent" TEXT DEFAULT current_setting('switchyard.trace_parent'::text, true);

ALTER TABLE "job" ADD COLUMN     "trace_parent" TEXT DEFAULT current_setting('switchyard.trace_parent'::text, true);
