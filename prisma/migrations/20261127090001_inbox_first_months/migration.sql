-- runs with: 20261126230000_ledger_archive
-- The next migration reads all messages to see that they belong to the first partition, while new ones come in.
do $$
begin
  execute format('alter table inbox_event add constraint inbox_event_of_first check (received_at < %L) not valid',
    (date_trunc('month', now() at time zone 'UTC') + interval '2 months') at time zone 'UTC');
end
$$;
