import type { TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { storableValue } from '../core/storable.js';

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
      store.inTenantModels(scope, async ({ buy_plan }) => {
        const made = { organization_id: scope.organizationId, id: plan.id, made_by: by, version: 1 };
        const [created_at, columns] = [new Date(at), columnsOf(plan, by, at)];
        await buy_plan.create({ data: { ...made, created_at, ...columns } });
      }),
    content: (scope, id) =>
      store.inTenantModels(scope, async ({ buy_plan }) => {
        const where = { organization_id: scope.organizationId, id };
        return (await buy_plan.findFirst({ where }))?.content as JsonObject | undefined;
      }),
    replace: (scope, plan, version, by, at) =>
      store.inTenantModels(scope, async ({ buy_plan }) => {
        const where = { organization_id: scope.organizationId, id: plan.id, version };
        const data = { ...columnsOf(plan, by, at), version: { increment: 1 } };
        return (await buy_plan.updateMany({ where, data })).count > 0;
      }),
    remove: (scope, id) =>
      store.inTenantModels(scope, async ({ buy_plan }) => {
        const where = { organization_id: scope.organizationId, id };
        return (await buy_plan.deleteMany({ where })).count > 0;
      }),
  };
}

const columnsOf = (plan: BuyPlan, by: string, at: Instant) => ({
  name: plan.name,
  brand_domain: plan.brandDomain,
  campaign_id: plan.campaignId ?? null,
  shared: plan.isShared,
  content: storableValue(plan.content),
  totals: storableValue(plan.totals),
  sellers: [...plan.sellers],
  lines: plan.lines,
  refused_in: plan.refusedIn ?? null,
  media_buy_id: plan.mediaBuyId ?? null,
  changed_by: by,
  updated_at: new Date(at),
});
