import type { TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { storableJson } from '../core/storable.js';

/** A plan as it is stored: lines that are not bought yet. */
export interface BuyPlan {
  readonly id: string;
  readonly name: string;
  /** Empty until it is chosen. */
  readonly brandDomain: string;
  readonly campaignId?: string | undefined;
  readonly isShared: boolean;
  /** Days and lines. */
  readonly content: object;
  /** Decimal text of its lines, by currency. */
  readonly totals: Readonly<Record<string, string>>;
  readonly sellers: readonly string[];
  readonly lines: number;
  /** Id of the buy whose refused parts it places elsewhere. */
  readonly refusedIn?: string | undefined;
  /** Id of the buy that it became. */
  readonly mediaBuyId?: string | undefined;
}

/** Plans in PostgreSQL. Who may see one is in the SQL of its list. */
export interface PlanRepository {
  add(scope: TenantScope, plan: BuyPlan, by: string, at: Instant): Promise<void>;
  /** The days and lines of one. */
  content(scope: TenantScope, id: string): Promise<JsonObject | undefined>;
  /** False where it has another version: somebody changed it, or it is gone. */
  replace(scope: TenantScope, plan: BuyPlan, version: number, by: string, at: Instant): Promise<boolean>;
  remove(scope: TenantScope, id: string): Promise<boolean>;
}

export function planRepository(store: Store): PlanRepository {
  return {
    add: (scope, plan, by, at) =>
      store.inTenant(scope, async (client) => {
        await client.query(added, [client.organizationId, plan.id, ...valuesOf(plan), by, new Date(at)]);
      }),
    content: (scope, id) =>
      store.inTenant(scope, async (client) => {
        const values = [client.organizationId, id];
        return (await client.query<{ content: JsonObject }>(contentOf, values)).rows[0]?.content;
      }),
    replace: (scope, plan, version, by, at) =>
      store.inTenant(scope, async (client) => {
        const values = [client.organizationId, plan.id, ...valuesOf(plan), by, new Date(at), version];
        return (await client.query(replaced, values)).rowCount > 0;
      }),
    remove: (scope, id) =>
      store.inTenantModels(scope, async ({ buy_plan }) => {
        const where = { organization_id: scope.organizationId, id };
        return (await buy_plan.deleteMany({ where })).count > 0;
      }),
  };
}

const valuesOf = (plan: BuyPlan): readonly unknown[] => [
  ...[plan.name, plan.brandDomain, plan.campaignId ?? null, plan.isShared],
  ...[storableJson(plan.content), storableJson(plan.totals), plan.sellers, plan.lines],
  ...[plan.refusedIn ?? null, plan.mediaBuyId ?? null],
];

const contentOf = 'select content from buy_plan where organization_id = $1 and id = $2';

const added = `
  insert into buy_plan (organization_id, id, name, brand_domain, campaign_id, shared, content, totals, sellers, lines,
    refused_in, media_buy_id, made_by, changed_by, created_at, updated_at, version)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, $14, $14, 1)`;

const replaced = `
  update buy_plan set name = $3, brand_domain = $4, campaign_id = $5, shared = $6, content = $7, totals = $8,
    sellers = $9, lines = $10, refused_in = $11, media_buy_id = $12, changed_by = $13, updated_at = $14,
    version = version + 1
  where organization_id = $1 and id = $2 and version = $15`;
