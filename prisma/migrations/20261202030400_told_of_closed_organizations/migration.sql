-- runs with: 20261202030300_counts_of_use
-- Who may is told when an organization was closed, in the transaction that closes it.
do $$
begin
  perform give_notice('organization_deletion', 'insert', 'true', 'organization.closed', 'organization', 'n.organization_id',
    $k$n.organization_id || ':' || extract(epoch from n.closed_at)$k$, 'n.closed_at',
    $d$jsonb_build_object('until', to_char(n.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))$d$);
end
$$;
