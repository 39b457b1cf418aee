-- runs with: 20261124150000_spend_in_one_table
-- A principal that is stopped is a change of the principal: its streams of changes end.
do $$
begin
  perform publish_changes('emergency_stop', 'principal', 'n.subject', 'n.subject::uuid, null, null, null');
end
$$;
create trigger change_updated after insert on emergency_stop for each row
  when (new.kind = 'principal') execute function change_of_emergency_stop('updated');
