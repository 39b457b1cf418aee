-- runs with: 20261128193200_organizations_newest_first
alter table "organization"
  add column "above_budget" text not null default 'ask',
  add column "outside_flight" text not null default 'ask';
alter table "campaign"
  add column "above_budget" text,
  add column "outside_flight" text;
