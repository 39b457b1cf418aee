import { randomUUID } from 'node:crypto';
import {
  usualCampaignRules,
  type CampaignReaction,
  type CampaignRules,
  type DomainProof,
  type Enrolment,
  type FourEyes,
  type ListSort,
  type Organization,
  type TenantScope,
} from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { run } from '../core/tenant-transaction.js';
import { isDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import type { organizationModel } from '../generated/models.js';
import { principalRow, tokenRow } from './principal-row.js';
import { tenantsOf } from '../core/tenants-of.js';

/** An organization before it is stored. */
export type NewOrganization = Omit<Organization, 'id' | 'createdAt' | 'domainProof' | 'domainProvedAt'>;

/** Members to change. A new domain comes with the challenge that will prove it. */
type OrganizationChange = Partial<
  Pick<
    Organization,
    | 'name'
    | 'timeZone'
    | 'currency'
    | 'reportingCurrency'
    | 'closesUnreconciled'
    | 'fourEyes'
    | 'campaignRules'
    | 'domain'
    | 'domainChallenge'
  >
>;

export interface Organizations {
  /** The organization with that slug, made if there is none. An existing one is not changed. */
  ensure(wanted: NewOrganization, at: Instant): Promise<Organization>;
  /** Stores an organization and its first principal in one transaction; undefined if the slug is taken. */
  add(
    wanted: NewOrganization & { readonly id: string },
    admin: Enrolment,
    at: Instant,
  ): Promise<Organization | undefined>;
  bySlug(slug: string): Promise<Organization | undefined>;
  byId(id: string): Promise<Organization | undefined>;
  /** Of all tenants, oldest first unless set. */
  after(
    key: { readonly at: Instant; readonly id: string } | undefined,
    limit: number,
    sort?: ListSort,
  ): Promise<Organization[]>;
  /** A new domain is not proved. Undefined if there is no such organization. */
  change(id: string, change: OrganizationChange): Promise<Organization | undefined>;
  /** False if the organization's domain or challenge has changed since the proof. */
  saveProof(
    proved: Pick<Organization, 'id' | 'domain' | 'domainChallenge'>,
    proof: DomainProof,
    at: Instant,
  ): Promise<boolean>;
  /** The tenant's own domain. Rejects if there is no such organization. */
  domainOf(scope: TenantScope): Promise<string>;
  /** All tenants, oldest first: workers process them one scope at a time. */
  ids(): Promise<readonly string[]>;
}

export function organizations(store: Store): Organizations {
  const bySlug = async (slug: string): Promise<Organization | undefined> => {
    const found = await run<organizationModel>(store.pool, 'select * from organization_by_slug($1)', [slug]);
    return found.rows.map(organizationOf)[0];
  };
  const byId = async (id: string): Promise<Organization | undefined> => {
    const { rows } = await store.onceInTenant<organizationModel>(
      { organizationId: id },
      { name: 'organization_itself', text: 'select * from organization where id = scope.organization_id' },
    );
    return rows.map(organizationOf)[0];
  };
  const insert = async (
    made: NewOrganization & Pick<Organization, 'id'>,
    admin: Enrolment | undefined,
    at: Instant,
  ): Promise<Organization | undefined> => {
    try {
      await store.inTenantModels({ organizationId: made.id }, async (models) => {
        await models.organization.create({ data: { ...rowOf(made), created_at: new Date(at) } });
        if (admin === undefined) return;
        await models.principal.create({ data: principalRow(admin.principal, new Date(at)) });
        if (admin.token !== undefined)
          await models.principal_token.create({ data: tokenRow(made.id, admin.token) });
      });
      return { ...made, createdAt: at };
    } catch (error) {
      if (isDuplicate(error)) return undefined;
      throw error;
    }
  };
  return {
    bySlug,
    byId,
    ensure: async (wanted, at) => {
      const known = await bySlug(wanted.slug);
      if (known !== undefined) return known;
      const made =
        (await insert({ id: randomUUID(), ...wanted }, undefined, at)) ?? (await bySlug(wanted.slug));
      if (made === undefined) throw new Error('An organization with this slug is there and cannot be found.');
      return made;
    },
    add: insert,
    after: async (key, limit, sort) => {
      const values = [key === undefined ? null : new Date(key.at), key?.id ?? null, limit];
      const found = await run<organizationModel>(
        store.pool,
        sort === 'newest'
          ? 'select * from organizations_before($1, $2, $3)'
          : 'select * from organizations_after($1, $2, $3)',
        values,
      );
      return found.rows.map(organizationOf);
    },
    change: (id, change) =>
      store.inTenantModels({ organizationId: id }, async ({ organization }) => {
        const { domain } = change;
        if (domain !== undefined) {
          const another = { domain, domain_proof: null, domain_proved_at: null };
          await organization.updateMany({ where: { id, domain: { not: domain } }, data: another });
        }
        await organization.updateMany({ where: { id }, data: changedColumns(change) });
        const row = await organization.findFirst({ where: { id } });
        return row === null ? undefined : organizationOf(row);
      }),
    saveProof: ({ id, domain, domainChallenge }, proof, at) =>
      store.inTenantModels({ organizationId: id }, async ({ organization }) => {
        const where = { id, domain, domain_challenge: domainChallenge ?? null };
        const data = { domain_proof: proof, domain_proved_at: new Date(at) };
        return (await organization.updateMany({ where, data })).count > 0;
      }),
    domainOf: async (scope) => {
      // Every buy reads it.
      const { rows } = await store.onceInTenant<{ domain: string }>(scope, {
        name: 'organization_domain',
        text: 'select domain from organization where id = scope.organization_id',
      });
      if (rows[0] === undefined) throw new TypeError('There is no such organization.');
      return rows[0].domain;
    },
    ids: () => tenantsOf(store, 'organization_ids'),
  };
}

function rowOf(made: NewOrganization & Pick<Organization, 'id'>) {
  const { id, slug, name, domain, currency } = made;
  return {
    id,
    slug,
    name,
    domain,
    is_public: made.isPublic,
    time_zone: made.timeZone,
    currency,
    reporting_currency: made.reportingCurrency,
    domain_challenge: made.domainChallenge ?? null,
  };
}

function changedColumns({
  name,
  timeZone,
  currency,
  reportingCurrency,
  closesUnreconciled,
  fourEyes,
  campaignRules,
  domainChallenge,
}: OrganizationChange) {
  return {
    ...(name !== undefined && { name }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(currency !== undefined && { currency }),
    ...(reportingCurrency !== undefined && { reporting_currency: reportingCurrency }),
    ...(closesUnreconciled !== undefined && { closes_unreconciled: closesUnreconciled }),
    ...(fourEyes !== undefined && { four_eyes: fourEyes }),
    ...(campaignRules !== undefined && {
      above_budget: campaignRules.aboveBudget,
      outside_flight: campaignRules.outsideFlight,
    }),
    ...(domainChallenge !== undefined && { domain_challenge: domainChallenge }),
  };
}

const readOrganization = rowReader<
  Omit<Organization, 'closesUnreconciled' | 'fourEyes' | 'campaignRules'>
>()(`
  id, slug, name, domain, is_public, time_zone, currency, reporting_currency, domain_challenge, domain_proof,
  domain_proved_at, created_at`);

function organizationOf(row: organizationModel): Organization {
  const rules: CampaignRules = {
    aboveBudget: row.above_budget as CampaignReaction,
    outsideFlight: row.outside_flight as CampaignReaction,
  };
  const isUsual =
    rules.aboveBudget === usualCampaignRules.aboveBudget &&
    rules.outsideFlight === usualCampaignRules.outsideFlight;
  return {
    ...readOrganization(row),
    ...(row.closes_unreconciled && { closesUnreconciled: true }),
    ...(row.four_eyes !== 'known' && { fourEyes: row.four_eyes as FourEyes }),
    ...(isUsual ? {} : { campaignRules: rules }),
  };
}
