-- runs with: 20261124065500_relay_admits_in_fewer_statements
-- Teams are renamed and removed, which the version before does not do, and are found by the beginning of their names.
create trigger change_updated after update on team for each row
  when (new.name is distinct from old.name) execute function change_of_team('updated');
create trigger change_removed after delete on team for each row execute function change_of_team('removed');
create index team_name_start on team (organization_id, lower(name) text_pattern_ops);
