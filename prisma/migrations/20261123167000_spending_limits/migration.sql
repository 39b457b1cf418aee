-- runs with: 20261123120400_journal_checkpoints
-- CreateTable
CREATE TABLE "spending_limit" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL DEFAULT '',
    "amount_micros" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "per" TEXT,
    "above" TEXT NOT NULL DEFAULT 'ask',
    "set_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),
    "removed_by" UUID,

    CONSTRAINT "spending_limit_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "spend_commitment" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "leg_id" UUID NOT NULL,
    "media_buy_id" TEXT,
    "seller" TEXT NOT NULL,
    "principal_id" UUID NOT NULL,
    "client_id" UUID,
    "brand_domain" TEXT,
    "campaign_id" UUID,
    "currency" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "month" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "spend_commitment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "spend_total" (
    "organization_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "month" TEXT NOT NULL,
    "pending_micros" BIGINT NOT NULL DEFAULT 0,
    "committed_micros" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "spend_total_pkey" PRIMARY KEY ("organization_id","kind","key","currency","month")
);

-- CreateTable
CREATE TABLE "exchange_rate" (
    "organization_id" UUID NOT NULL,
    "from_currency" TEXT NOT NULL,
    "to_currency" TEXT NOT NULL,
    "date" TEXT NOT NULL,
    "rate" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "entered_by" UUID,
    "entered_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "exchange_rate_pkey" PRIMARY KEY ("organization_id","from_currency","to_currency","date")
);

-- CreateTable
CREATE TABLE "internal_approval" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "task" TEXT NOT NULL,
    "media_buy_id" TEXT,
    "revision" INTEGER,
    "principal_id" UUID NOT NULL,
    "client_id" UUID,
    "brand_domain" TEXT,
    "campaign_id" UUID,
    "sellers" TEXT[],
    "amount_micros" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "quotes" JSONB NOT NULL,
    "state" TEXT NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_at" TIMESTAMPTZ(3),
    "decided_by" UUID,
    "decision_reason" TEXT,

    CONSTRAINT "internal_approval_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "spending_limit_organization_id_kind_key_idx" ON "spending_limit"("organization_id", "kind", "key");

-- CreateIndex
CREATE INDEX "spending_limit_organization_id_created_at_id_idx" ON "spending_limit"("organization_id", "created_at" DESC, "id");

-- CreateIndex
CREATE UNIQUE INDEX "spend_commitment_leg_id_key" ON "spend_commitment"("leg_id");

-- CreateIndex
CREATE INDEX "spend_commitment_organization_id_operation_id_idx" ON "spend_commitment"("organization_id", "operation_id");

-- CreateIndex
CREATE INDEX "spend_commitment_organization_id_media_buy_id_idx" ON "spend_commitment"("organization_id", "media_buy_id");

-- CreateIndex
CREATE UNIQUE INDEX "internal_approval_operation_id_key" ON "internal_approval"("operation_id");

-- CreateIndex
CREATE INDEX "internal_approval_organization_id_asked_at_id_idx" ON "internal_approval"("organization_id", "asked_at" DESC, "id");

-- CreateIndex
CREATE INDEX "internal_approval_organization_id_state_expires_at_idx" ON "internal_approval"("organization_id", "state", "expires_at");

select stand_under_tenancy('spending_limit');
select stand_under_tenancy('spend_commitment');
select stand_under_tenancy('spend_total');
select stand_under_tenancy('exchange_rate');
select stand_under_tenancy('internal_approval');

-- Buys that stand already: each part is committed with what its packages come to, in the month in which it was made.
alter table organization no force row level security;
alter table operation no force row level security;
alter table leg no force row level security;
alter table media_buy no force row level security;
alter table seller_buy no force row level security;
alter table buy_package no force row level security;
alter table spend_commitment no force row level security;
alter table spend_total no force row level security;
insert into spend_commitment
  (id, organization_id, operation_id, leg_id, media_buy_id, seller, principal_id, client_id, brand_domain, campaign_id,
   currency, amount_micros, state, month, created_at, updated_at)
select gen_random_uuid(), l.organization_id, l.operation_id, l.id, b.id, l.seller, o.principal_id, b.client_id,
       b.brand_domain, b.campaign_id, b.currency, sum(p.budget_micros),
       case when l.status = 'completed' then 'committed' else 'pending' end,
       to_char(l.created_at at time zone g.time_zone, 'YYYY-MM'), l.created_at, l.created_at
from leg l
join operation o on o.id = l.operation_id
join organization g on g.id = l.organization_id
join buy_package p on p.leg_id = l.id and p.canceled_at is null
join media_buy b on b.id = p.media_buy_id
join seller_buy s on s.media_buy_id = b.id and s.seller = l.seller and s.status not in ('canceled', 'rejected')
where l.status not in ('failed', 'rejected', 'canceled')
group by l.id, o.id, g.id, b.id;
insert into spend_total (organization_id, kind, key, currency, month, pending_micros, committed_micros)
select c.organization_id, d.kind, d.key, c.currency, m.month,
       sum(case when c.state = 'pending' then c.amount_micros else 0 end),
       sum(case when c.state = 'committed' then c.amount_micros else 0 end)
from spend_commitment c
cross join lateral (values ('organization', ''), ('principal', c.principal_id::text), ('client', c.client_id::text),
  ('brand', c.brand_domain), ('campaign', c.campaign_id::text), ('seller', c.seller)) as d (kind, key)
cross join lateral (values (''), (c.month)) as m (month)
where d.key is not null
group by c.organization_id, d.kind, d.key, c.currency, m.month;
alter table spend_total force row level security;
alter table spend_commitment force row level security;
alter table buy_package force row level security;
alter table seller_buy force row level security;
alter table media_buy force row level security;
alter table leg force row level security;
alter table operation force row level security;
alter table organization force row level security;

-- From here on every commitment is counted by whoever writes it, whatever the way: the sums cannot differ from the rows.
create function count_commitment() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  insert into spend_total as t (organization_id, kind, key, currency, month, pending_micros, committed_micros)
  select c.organization_id, d.kind, d.key, c.currency, m.month,
         sum(case when c.state = 'pending' then c.amount_micros else 0 end),
         sum(case when c.state = 'committed' then c.amount_micros else 0 end)
  from (
    select new.organization_id, new.principal_id, new.client_id, new.brand_domain, new.campaign_id, new.seller,
           new.currency, new.month, new.state, new.amount_micros where tg_op <> 'DELETE'
    union all
    select old.organization_id, old.principal_id, old.client_id, old.brand_domain, old.campaign_id, old.seller,
           old.currency, old.month, old.state, -old.amount_micros where tg_op <> 'INSERT'
  ) as c
  cross join lateral (values ('organization', ''), ('principal', c.principal_id::text), ('client', c.client_id::text),
    ('brand', c.brand_domain), ('campaign', c.campaign_id::text), ('seller', c.seller)) as d (kind, key)
  cross join lateral (values (''), (c.month)) as m (month)
  where d.key is not null
  group by c.organization_id, d.kind, d.key, c.currency, m.month
  having sum(case when c.state = 'pending' then c.amount_micros else 0 end) <> 0
      or sum(case when c.state = 'committed' then c.amount_micros else 0 end) <> 0
  order by 2, 3, 4, 5
  on conflict (organization_id, kind, key, currency, month) do update
  set pending_micros = t.pending_micros + excluded.pending_micros,
      committed_micros = t.committed_micros + excluded.committed_micros;
  return null;
end
$$;
revoke execute on function count_commitment() from public;
create trigger counted after insert or update or delete on spend_commitment
for each row execute function count_commitment();
