-- runs with: 20261202030400_told_of_closed_organizations
-- Keys of tables that stay small, and that nothing looks up before the organization is known (docs/growth.md#distributed-postgresql).
alter table account_figure drop constraint account_figure_pkey, add primary key (organization_id, id);
alter table break_comment drop constraint break_comment_pkey, add primary key (organization_id, id);
alter table buy_assignment drop constraint buy_assignment_pkey, add primary key (organization_id, id);
alter table campaign_rule drop constraint campaign_rule_pkey, add primary key (organization_id, id);
alter table delegation drop constraint delegation_pkey, add primary key (organization_id, id);
alter table figure_import drop constraint figure_import_pkey, add primary key (organization_id, id);
alter table invoice_payment drop constraint invoice_payment_pkey, add primary key (organization_id, id);
alter table journal_batch drop constraint journal_batch_pkey, add primary key (organization_id, id);
alter table principal_account drop constraint principal_account_pkey, add primary key (organization_id, id);
alter table spending_limit drop constraint spending_limit_pkey, add primary key (organization_id, id);
alter table team drop constraint team_pkey, add primary key (organization_id, id);
alter table tolerance drop constraint tolerance_pkey, add primary key (organization_id, id);
