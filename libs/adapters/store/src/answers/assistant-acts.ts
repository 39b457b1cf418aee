import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { rowsPerStep } from '../core/repeat-steps.js';
import { rowReader } from '../core/row-mapper.js';

/** `open` waits for a person, `confirmed` may be done, `done` was done. */
export type AssistantActState = 'open' | 'confirmed' | 'declined' | 'done';

/** An act that a program asked for, and that a person decides on (docs/guides/assistants.md#acts). */
export interface AssistantAct {
  readonly actId: string;
  /** Who asked. */
  readonly principalId: string;
  readonly key: string;
  /** The id of its route. */
  readonly route: string;
  /** JSON text. */
  readonly arguments: string;
  /** The only one who may decide; absent if anybody with the permission of the route may. */
  readonly personId?: string;
  readonly state: AssistantActState;
  readonly createdAt: Instant;
  /** Afterwards it is neither decided nor done any more. */
  readonly endsAt: Instant;
  readonly decidedBy?: string;
  readonly decidedAt?: Instant;
}

/** Acts that wait for a person. Methods reject if the database cannot be reached. */
export interface AssistantActs {
  /**
   * Stores an act and returns it, or the one that is there under the key. Undefined if its principal has too many that
   * are open. Those of the organization that ended before `forgetUntil` are deleted.
   */
  ask(
    scope: TenantScope,
    act: Omit<AssistantAct, 'state' | 'decidedBy' | 'decidedAt'>,
    limits: { readonly mostOpen: number; readonly forgetUntil: Instant },
  ): Promise<AssistantAct | undefined>;
  find(scope: TenantScope, actId: string): Promise<AssistantAct | undefined>;
  /** False if it is in none of these states any more, or has ended. */
  move(
    scope: TenantScope,
    actId: string,
    change: {
      readonly from: readonly AssistantActState[];
      readonly to: AssistantActState;
      readonly by?: string;
      readonly at: Instant;
    },
  ): Promise<boolean>;
}

export function assistantActs(store: Store): AssistantActs {
  return {
    ask: (scope, act, { mostOpen, forgetUntil }) =>
      store.inTenant(scope, async (client) => {
        const { organizationId } = client;
        await client.query(forget, [organizationId, new Date(forgetUntil)]);
        const { createdAt, endsAt, actId, principalId, key } = act;
        const values = [organizationId, actId, principalId, key, act.route, act.arguments];
        const times = [act.personId ?? null, new Date(createdAt), new Date(endsAt), mostOpen];
        await client.query(insert, [...values, ...times]);
        const where = { organization_id: organizationId, principal_id: principalId, key };
        const row = await client.models.assistant_act.findFirst({ where });
        return row === null ? undefined : actOf(row);
      }),
    find: (scope, actId) =>
      store.inTenantModels(scope, async ({ assistant_act }) => {
        const where = { organization_id: scope.organizationId, act_id: actId };
        const row = await assistant_act.findFirst({ where });
        return row === null ? undefined : actOf(row);
      }),
    move: (scope, actId, { from, to, by, at }) =>
      store.inTenant(scope, async (client) => {
        const values = [client.organizationId, actId, from, to, by ?? null, new Date(at)];
        return (await client.query(move, values)).rowCount > 0;
      }),
  };
}

const actOf = rowReader<AssistantAct>()(
  'act_id, principal_id, key, route, arguments, person_id, state, created_at, ends_at, decided_by, decided_at',
);

const insert = `
  insert into assistant_act
    (organization_id, act_id, principal_id, key, route, arguments, person_id, state, created_at, ends_at)
  select $1, $2, $3, $4, $5, $6, $7, 'open', $8, $9
  where (
    select count(*) from (
      select from assistant_act
      where organization_id = $1 and ends_at > $8 and principal_id = $3 and state = 'open' limit $10
    ) as waiting
  ) < $10
  on conflict (organization_id, principal_id, key) do nothing`;

const move = `
  update assistant_act set state = $4, decided_by = coalesce($5, decided_by),
    decided_at = case when $5::uuid is null then decided_at else $6 end
  where organization_id = $1 and act_id = $2 and state = any($3) and ends_at > $6
  returning act_id`;

const forget = `
  delete from assistant_act where ctid = any(array(
    select ctid from assistant_act where organization_id = $1 and ends_at <= $2
    order by ends_at limit ${rowsPerStep} for update skip locked))`;
