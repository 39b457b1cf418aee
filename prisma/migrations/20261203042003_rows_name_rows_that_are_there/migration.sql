-- runs with: 20261202030400_told_of_closed_organizations
-- Checks the rows that were there before the keys. An owner that is no superuser cannot read them under forced row-level
-- security: it is lifted for the owner until the end of this transaction, under a lock of each table.
do $$
declare
  v_is_bound boolean := not (select rolsuper or rolbypassrls from pg_roles where rolname = current_user);
  v_table regclass;
  v_key name;
begin
  for v_table in
    select conrelid from pg_constraint
    where contype = 'f' and not convalidated and connamespace = 'public'::regnamespace and v_is_bound
    union
    select confrelid from pg_constraint
    where contype = 'f' and not convalidated and connamespace = 'public'::regnamespace and v_is_bound
  loop
    execute format('alter table %s no force row level security', v_table);
  end loop;
  for v_table, v_key in
    select conrelid, conname from pg_constraint
    where contype = 'f' and not convalidated and connamespace = 'public'::regnamespace order by conrelid, conname
  loop
    execute format('alter table %s validate constraint %I', v_table, v_key);
  end loop;
  for v_table in
    select distinct r.relation from pg_constraint k cross join lateral (values (k.conrelid), (k.confrelid)) as r (relation)
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace and v_is_bound
  loop
    execute format('alter table %s force row level security', v_table);
  end loop;
end
$$;
