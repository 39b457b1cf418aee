-- runs with: 20261123210500_passwords
-- Whose a creative is: that of the operation that brought it first. Absent: of the one that wrote it last.
ALTER TABLE "creative" ADD COLUMN     "first_operation_id" UUID;

-- A change of a creative is said to whoever reaches it: where it belongs, as before only to who synced it last.
create or replace function change_of_creative()
returns trigger
language plpgsql
as $$
begin
  if nullif(current_setting('switchyard.organization_id', true), '') is null then
    return null;
  end if;
  insert into public.change_event (organization_id, kind, object_id, action, principal_id, client_id, brand_domain, campaign_id)
  select new.organization_id, 'creative', new.creative_id, tg_argv[0], o.principal_id, o.client_id, o.brand_domain, o.campaign_id
  from (values (1)) as one
  left join public.operation o on o.id = coalesce(new.first_operation_id, new.operation_id);
  return null;
end
$$;
