import type { BillingBasis, BillingKind, BillingRule, TaxCategory, TaxRate } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { rowReader } from '../core/row-mapper.js';
import { storableJson, storableText, storableValue } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';

/** The address of a party of a document. */
export interface PostalAddress {
  readonly street: string;
  readonly post_code: string;
  readonly city: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

/** A company of the organization that bills clients. */
export interface LegalEntity {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  readonly address: PostalAddress;
  readonly taxId: string;
  /** What its numbers begin with. */
  readonly series: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly iban?: string;
  readonly bic?: string;
}

/** How a client is billed. */
export interface ClientBilling {
  readonly clientId: string;
  readonly entityId: string;
  /** As its documents name it. */
  readonly name: string;
  readonly address: PostalAddress;
  readonly taxId?: string;
  readonly reference?: string;
  readonly email?: string;
  readonly termDays: number;
  readonly detail: 'open' | 'closed';
  readonly tax: TaxRate;
}

interface Setting {
  /** UUID of the principal. */
  readonly by: string;
  readonly at: Instant;
}

/** Legal entities, how clients are billed, and rules. Entities and rules are changed by `controlRequests`, by two people. */
export function billingSettings(store: Store) {
  return {
    entities: (scope: TenantScope): Promise<readonly StoredEntity[]> => store.inTenant(scope, readEntities),
    clients: (scope: TenantScope): Promise<readonly StoredBilling[]> =>
      store.inTenant(scope, (client) => readBillings(client)),
    rules: (scope: TenantScope): Promise<readonly StoredRule[]> =>
      store.inTenant(scope, (client) => readRules(client)),
    /** False if there is no such client or entity. */
    setClient: (scope: TenantScope, billing: ClientBilling, set: Setting): Promise<boolean> =>
      store.inTenant(scope, (client) => setBilling(client, billing, set)),
  };
}

export type BillingSettings = ReturnType<typeof billingSettings>;

/** An entity with the number that its next document gets. */
export interface StoredEntity extends LegalEntity {
  readonly nextNumber: bigint;
}

export async function readEntities({
  models,
  organizationId,
}: TenantSession): Promise<readonly StoredEntity[]> {
  const rows = await models.legal_entity.findMany({
    where: { organization_id: organizationId },
    orderBy: { name: 'asc' },
    take: 100,
  });
  return rows.map((row) => ({ ...readEntity(row), nextNumber: row.next_number }));
}

const readEntity = rowReader<LegalEntity>()('id, name, address, tax_id, series, currency, iban, bic');

/** Adds an entity, or changes all but the next number of the one with its id. */
export async function setEntity(
  { models, organizationId }: TenantSession,
  { id, name, address, taxId, series, currency, iban, bic }: LegalEntity,
  { by, at }: Setting,
): Promise<void> {
  const key = { organization_id: organizationId, id };
  const columns = {
    name: storableText(name),
    address: storableValue(address),
    tax_id: storableText(taxId),
    series: storableText(series),
    currency,
    iban: iban ?? null,
    bic: bic ?? null,
    set_by: by,
    set_at: new Date(at),
  };
  await models.legal_entity.upsert({
    where: { organization_id_id: key },
    create: { ...key, ...columns },
    update: columns,
  });
}

/** How a client is billed, with its name here. */
export interface StoredBilling extends ClientBilling {
  readonly client: string;
  readonly entity: string;
}

export async function readBillings(
  client: TenantClient,
  clientId?: string,
): Promise<readonly StoredBilling[]> {
  const { rows } = await client.query<{
    client_id: string;
    client: string;
    entity_id: string;
    entity: string;
    name: string;
    address: PostalAddress;
    tax_id: string | null;
    reference: string | null;
    email: string | null;
    term_days: number;
    detail: 'open' | 'closed';
    tax_hundredths: number;
    tax_category: TaxCategory;
  }>(
    `select b.client_id, c.name as client, b.entity_id, e.name as entity, b.name, b.address, b.tax_id, b.reference, b.email,
       b.term_days, b.detail, b.tax_hundredths, b.tax_category
     from client_billing b join client c on c.id = b.client_id
     join legal_entity e on e.organization_id = b.organization_id and e.id = b.entity_id
     where b.organization_id = $1 and ($2::uuid is null or b.client_id = $2) order by c.name limit 5000`,
    [client.organizationId, clientId ?? null],
  );
  return rows.map(({ client_id: id, entity_id: entityId, term_days: termDays, ...row }) => ({
    ...{
      clientId: id,
      client: row.client,
      entityId,
      entity: row.entity,
      name: row.name,
      address: row.address,
    },
    ...present({ taxId: row.tax_id, reference: row.reference, email: row.email }),
    ...{ termDays, detail: row.detail },
    tax: { taxHundredths: row.tax_hundredths, taxCategory: row.tax_category },
  }));
}

async function setBilling(
  client: TenantClient,
  billing: ClientBilling,
  { by, at }: Setting,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into client_billing (organization_id, client_id, entity_id, name, address, tax_id, reference, email, term_days,
       detail, tax_hundredths, tax_category, set_by, set_at)
     select $1, c.id, e.id, $4, $5::jsonb, $6, $7, $8, $9, $10, $11, $12, $13, $14
     from client c, legal_entity e
     where c.organization_id = $1 and c.id = $2 and e.organization_id = $1 and e.id = $3
     on conflict (organization_id, client_id) do update set entity_id = excluded.entity_id, name = excluded.name,
       address = excluded.address, tax_id = excluded.tax_id, reference = excluded.reference, email = excluded.email,
       term_days = excluded.term_days, detail = excluded.detail, tax_hundredths = excluded.tax_hundredths,
       tax_category = excluded.tax_category, set_by = excluded.set_by, set_at = excluded.set_at`,
    [
      client.organizationId,
      billing.clientId,
      billing.entityId,
      storableText(billing.name),
      storableJson(billing.address),
      billing.taxId === undefined ? null : storableText(billing.taxId),
      billing.reference === undefined ? null : storableText(billing.reference),
      billing.email === undefined ? null : storableText(billing.email),
      billing.termDays,
      billing.detail,
      billing.tax.taxHundredths,
      billing.tax.taxCategory,
      by,
      new Date(at),
    ],
  );
  return rowCount > 0;
}

/** A rule with the names of what it is for. */
export interface StoredRule extends BillingRule {
  readonly client?: string;
  readonly campaign?: string;
  readonly setBy?: string;
  readonly setAt: Instant;
}

/** The rules that can hold for a client, or all; the newest first. */
export async function readRules(client: TenantClient, clientId?: string): Promise<readonly StoredRule[]> {
  const { rows } = await client.query<{
    id: string;
    client_id: string | null;
    client: string | null;
    campaign_id: string | null;
    campaign: string | null;
    seller: string;
    kind: BillingKind;
    basis: BillingBasis;
    percent_hundredths: number | null;
    amount: string | null;
    currency: string | null;
    cap: string | null;
    tax_hundredths: number | null;
    tax_category: TaxCategory | null;
    starts_on: string;
    ends_on: string | null;
    set_by: string | null;
    set_at: Date;
  }>(
    `select r.id, r.client_id, c.name as client, r.campaign_id, k.name as campaign, r.seller, r.kind, r.basis,
       r.percent_hundredths, r.amount_micros::text as amount, r.currency, r.cap_micros::text as cap, r.tax_hundredths,
       r.tax_category, r.starts_on, r.ends_on, p.name as set_by, r.set_at
     from billing_rule r left join client c on c.id = r.client_id left join campaign k on k.id = r.campaign_id
     left join principal p on p.id = r.set_by
     where r.organization_id = $1 and ($2::uuid is null or r.client_id is null or r.client_id = $2)
     order by r.set_at desc, r.id limit 5000`,
    [client.organizationId, clientId ?? null],
  );
  return rows.map((row) => ({
    ...{ id: row.id, kind: row.kind, basis: row.basis, startsOn: row.starts_on, setAt: row.set_at.getTime() },
    ...present({
      clientId: row.client_id,
      client: row.client,
      campaignId: row.campaign_id,
      campaign: row.campaign,
      seller: row.seller || null,
      percentHundredths: row.percent_hundredths,
      amountMicros: row.amount === null ? null : BigInt(row.amount),
      currency: row.currency,
      capMicros: row.cap === null ? null : BigInt(row.cap),
      endsOn: row.ends_on,
      setBy: row.set_by,
    }),
    ...(row.tax_hundredths !== null &&
      row.tax_category !== null && {
        tax: { taxHundredths: row.tax_hundredths, taxCategory: row.tax_category },
      }),
  }));
}

export async function addRule(
  { models, organizationId }: TenantSession,
  rule: BillingRule,
  { by, at }: Setting,
): Promise<void> {
  await models.billing_rule.create({
    data: {
      organization_id: organizationId,
      id: rule.id,
      client_id: rule.clientId ?? null,
      campaign_id: rule.campaignId ?? null,
      seller: storableText(rule.seller ?? ''),
      kind: rule.kind,
      basis: rule.basis,
      percent_hundredths: rule.percentHundredths ?? null,
      amount_micros: rule.amountMicros ?? null,
      currency: rule.currency ?? null,
      cap_micros: rule.capMicros ?? null,
      tax_hundredths: rule.tax?.taxHundredths ?? null,
      tax_category: rule.tax?.taxCategory ?? null,
      starts_on: rule.startsOn,
      ends_on: rule.endsOn ?? null,
      set_by: by,
      set_at: new Date(at),
    },
  });
}

export async function endRule(
  { models, organizationId }: TenantSession,
  id: string,
  endsOn: string,
): Promise<void> {
  const where = { organization_id: organizationId, id };
  await models.billing_rule.updateMany({ where, data: { ends_on: endsOn } });
}
