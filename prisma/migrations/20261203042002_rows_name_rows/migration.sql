-- runs with: 20261202030400_told_of_closed_organizations
-- What names another row of its organization cannot name one that is not there, or one of another organization. The
-- next migration checks the rows that are there already.
alter table "invoice_line" add constraint "invoice_line_organization_id_invoice_id_fkey" foreign key ("organization_id", "invoice_id")
  references "invoice"("organization_id", "id") on delete no action on update no action not valid;
alter table "invoice_hold" add constraint "invoice_hold_organization_id_invoice_id_fkey" foreign key ("organization_id", "invoice_id")
  references "invoice"("organization_id", "id") on delete no action on update no action not valid;
alter table "invoice_attachment" add constraint "invoice_attachment_organization_id_invoice_id_fkey" foreign key ("organization_id", "invoice_id")
  references "invoice"("organization_id", "id") on delete no action on update no action not valid;
alter table "invoice_payment" add constraint "invoice_payment_organization_id_invoice_id_fkey" foreign key ("organization_id", "invoice_id")
  references "invoice"("organization_id", "id") on delete no action on update no action not valid;
alter table "credit_application" add constraint "credit_application_organization_id_credit_id_fkey" foreign key ("organization_id", "credit_id")
  references "invoice"("organization_id", "id") on delete no action on update no action not valid;
alter table "credit_application" add constraint "credit_application_organization_id_invoice_id_fkey" foreign key ("organization_id", "invoice_id")
  references "invoice"("organization_id", "id") on delete no action on update no action not valid;
alter table "dispute" add constraint "dispute_organization_id_invoice_id_fkey" foreign key ("organization_id", "invoice_id")
  references "invoice"("organization_id", "id") on delete no action on update no action not valid;
alter table "dispute_answer" add constraint "dispute_answer_organization_id_dispute_id_fkey" foreign key ("organization_id", "dispute_id")
  references "dispute"("organization_id", "id") on delete no action on update no action not valid;
alter table "payment_order" add constraint "payment_order_organization_id_run_id_fkey" foreign key ("organization_id", "run_id")
  references "payment_run"("organization_id", "id") on delete no action on update no action not valid;
alter table "payment_order_item" add constraint "payment_order_item_organization_id_order_id_fkey" foreign key ("organization_id", "order_id")
  references "payment_order"("organization_id", "id") on delete no action on update no action not valid;
alter table "payment_order_item" add constraint "payment_order_item_organization_id_invoice_id_fkey" foreign key ("organization_id", "invoice_id")
  references "invoice"("organization_id", "id") on delete no action on update no action not valid;
alter table "client_invoice" add constraint "client_invoice_organization_id_client_id_fkey" foreign key ("organization_id", "client_id")
  references "client"("organization_id", "id") on delete no action on update no action not valid;
alter table "client_invoice" add constraint "client_invoice_organization_id_entity_id_fkey" foreign key ("organization_id", "entity_id")
  references "legal_entity"("organization_id", "id") on delete no action on update no action not valid;
alter table "client_invoice_line" add constraint "client_invoice_line_organization_id_invoice_id_fkey" foreign key ("organization_id", "invoice_id")
  references "client_invoice"("organization_id", "id") on delete no action on update no action not valid;
alter table "client_payment" add constraint "client_payment_organization_id_invoice_id_fkey" foreign key ("organization_id", "invoice_id")
  references "client_invoice"("organization_id", "id") on delete no action on update no action not valid;
alter table "client_billing" add constraint "client_billing_organization_id_client_id_fkey" foreign key ("organization_id", "client_id")
  references "client"("organization_id", "id") on delete no action on update no action not valid;
alter table "client_billing" add constraint "client_billing_organization_id_entity_id_fkey" foreign key ("organization_id", "entity_id")
  references "legal_entity"("organization_id", "id") on delete no action on update no action not valid;
alter table "billing_rule" add constraint "billing_rule_organization_id_client_id_fkey" foreign key ("organization_id", "client_id")
  references "client"("organization_id", "id") on delete no action on update no action not valid;
alter table "billing_rule" add constraint "billing_rule_organization_id_campaign_id_fkey" foreign key ("organization_id", "campaign_id")
  references "campaign"("organization_id", "id") on delete no action on update no action not valid;
alter table "brand" add constraint "brand_organization_id_client_id_fkey" foreign key ("organization_id", "client_id")
  references "client"("organization_id", "id") on delete no action on update no action not valid;
alter table "campaign" add constraint "campaign_organization_id_client_id_fkey" foreign key ("organization_id", "client_id")
  references "client"("organization_id", "id") on delete no action on update no action not valid;
alter table "campaign_rule" add constraint "campaign_rule_organization_id_campaign_id_fkey" foreign key ("organization_id", "campaign_id")
  references "campaign"("organization_id", "id") on delete no action on update no action not valid;
alter table "access_grant" add constraint "access_grant_organization_id_principal_id_fkey" foreign key ("organization_id", "principal_id")
  references "principal"("organization_id", "id") on delete no action on update no action not valid;
alter table "team_member" add constraint "team_member_organization_id_principal_id_fkey" foreign key ("organization_id", "principal_id")
  references "principal"("organization_id", "id") on delete no action on update no action not valid;
alter table "team_member" add constraint "team_member_organization_id_team_id_fkey" foreign key ("organization_id", "team_id")
  references "team"("organization_id", "id") on delete no action on update no action deferrable initially deferred not valid;
alter table "principal_token" add constraint "principal_token_organization_id_principal_id_fkey" foreign key ("organization_id", "principal_id")
  references "principal"("organization_id", "id") on delete no action on update no action not valid;
alter table "principal_identity" add constraint "principal_identity_organization_id_principal_id_fkey" foreign key ("organization_id", "principal_id")
  references "principal"("organization_id", "id") on delete no action on update no action not valid;
alter table "principal_signer" add constraint "principal_signer_organization_id_principal_id_fkey" foreign key ("organization_id", "principal_id")
  references "principal"("organization_id", "id") on delete no action on update no action not valid;
alter table "delegation" add constraint "delegation_organization_id_principal_id_fkey" foreign key ("organization_id", "principal_id")
  references "principal"("organization_id", "id") on delete no action on update no action not valid;

-- Removes rows that name others before those that they name, level by level. The place that a part answers is a level and a
-- table; a place of the version before it, a table alone, stands behind every level, so that part ends and begins again.
drop function remove_organization_part(uuid, text, integer);
create function remove_organization_part(p_organization uuid, p_from text, p_most integer)
returns text
language plpgsql security definer set search_path = public, pg_temp set jit = off
as $$
declare
  v_deletion organization_deletion;
  v_table name;
  v_key text;
  v_place text;
  v_gone integer;
  v_left integer := p_most;
begin
  perform pg_advisory_xact_lock(hashtextextended('removal of ' || p_organization, 0));
  select * into v_deletion from organization_deletion where organization_id = p_organization and due_at <= now();
  if not found then
    return null;
  end if;
  insert into removed_organization (id, requested_by, closed_at, begun_at, heads, removed)
  values (p_organization, v_deletion.requested_by, v_deletion.closed_at, now(), '[]', '{}')
  on conflict (id) do nothing;
  if found then
    update removed_organization set
      approved_by = (
        select decided_by from control_request
        where organization_id = p_organization and kind = 'delete_organization' and state = 'approved'
        order by decided_at desc limit 1),
      heads = (
        select coalesce(jsonb_agg(to_jsonb(h) || jsonb_build_object('anchor', (
            select jsonb_build_object('number', a.number, 'made_at', a.made_at, 'jws', a.jws, 'key', a.key)
            from journal_anchor a where a.organization_id = h.organization_id and a.stream = h.stream
            order by a.made_at desc, a.id desc limit 1))), '[]')
        from journal_head h where h.organization_id = p_organization)
    where id = p_organization;
    delete from oauth_artifact
    where account in (select id::text from principal where organization_id = p_organization);
    delete from bi.reader where organization_id = p_organization;
  end if;
  -- By keys and not by places: under row-level security a place is compared only after every row was read.
  for v_place, v_table, v_key in
    with recursive names as (
      select k.conrelid as child, k.confrelid as parent from pg_constraint k
      where k.contype = 'f' and k.conparentid = 0 and k.connamespace = 'public'::regnamespace and k.conrelid <> k.confrelid
    ), above as (
      select parent as relation, 1 as level from names
      union
      select n.parent, a.level + 1 from above a join names n on n.child = a.relation
    ), places as (
      select c.oid, c.relname, coalesce((select max(a.level) from above a where a.relation = c.oid), 0)::text
        || ' ' || c.relname as place
      from pg_class c
    )
    select c.place, c.relname, (
      select string_agg(quote_ident(a.attname), ', ' order by k.place)
      from pg_index i cross join unnest(i.indkey) with ordinality as k (number, place)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
      where i.indrelid = c.oid and i.indisprimary)
    from places c join pg_class t on t.oid = c.oid
    where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
      and c.place >= p_from and c.relname <> 'organization_deletion'
      and exists (select from pg_attribute a
        where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped)
    order by c.place
  loop
    execute format(
      'with part as materialized (select %2$s from public.%1$I where organization_id = $1 limit $2)
       delete from public.%1$I where organization_id = $1 and (%2$s) in (select %2$s from part)', v_table, v_key)
    using p_organization, v_left;
    get diagnostics v_gone = row_count;
    if v_gone > 0 then
      update removed_organization
      set removed = jsonb_set(removed, array[v_table::text], to_jsonb(coalesce((removed ->> v_table)::bigint, 0) + v_gone))
      where id = p_organization;
      v_left := v_left - v_gone;
      if v_left <= 0 then
        return v_place;
      end if;
    end if;
  end loop;
  if p_from <> '' or v_left < p_most then
    return '';
  end if;
  delete from organization_deletion where organization_id = p_organization;
  delete from organization where id = p_organization;
  update removed_organization set removed_at = now() where id = p_organization;
  return null;
end
$$;
revoke execute on function remove_organization_part(uuid, text, integer) from public;
comment on function remove_organization_part(uuid, text, integer) is 'for the application';
select assign_lookup_functions();
