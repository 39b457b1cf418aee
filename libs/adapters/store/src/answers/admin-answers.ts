import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { repeatSteps, rowsPerStep } from '../core/repeat-steps.js';
import { rowReader } from '../core/row-mapper.js';
import { tenantsOf } from '../core/tenants-of.js';

/** The place of an answer: keys of two callers are two keys. */
export interface AnswerPlace {
  /** UUID of a principal, or `local`. */
  readonly caller: string;
  readonly key: string;
}

/** A request that claims its key. */
interface KeyedRequest extends AnswerPlace {
  /** The id of the route. */
  readonly route: string;
  /** SHA-256 of the request, in hex. */
  readonly digest: string;
}

/** What is kept of an answer. */
export interface KeptAdminAnswer {
  readonly status: number;
  readonly location?: string;
  /** JSON text. */
  readonly body: string;
  /** Only the ids in the body were kept. */
  readonly isWithheld: boolean;
}

/**
 * What a request finds under its key: nothing, so the key is its own now (`first`); another request (`other`); itself
 * without an end, because it still runs or its process died (`unended`); or its answer.
 */
export type KeyClaim =
  | { readonly kind: 'first' | 'other' }
  | { readonly kind: 'unended'; readonly beganAt: Instant }
  | { readonly kind: 'answered'; readonly answer: KeptAdminAnswer };

/** Answers of acts of administration under the keys of their callers. Methods reject if the database cannot be reached. */
export interface AdminAnswers {
  /** Claims a key for a request, once among all processes. A key whose time is over is free. */
  claim(
    scope: TenantScope,
    request: KeyedRequest,
    time: { readonly now: Instant; readonly keepUntil: Instant },
  ): Promise<KeyClaim>;
  /** Stores the answer of the request that claimed the key. */
  keep(scope: TenantScope, place: AnswerPlace, answer: KeptAdminAnswer, now: Instant): Promise<void>;
  /** Frees the key of a request that was refused: nothing was done. */
  release(scope: TenantScope, place: AnswerPlace): Promise<void>;
  /** Deletes answers of all organizations that were to be kept until this instant. Returns how many. */
  forget(until: Instant): Promise<number>;
}

export function adminAnswers(store: Store): AdminAnswers {
  return {
    claim: (scope, request, time) => claim(store, scope, request, time),
    keep: (scope, { caller, key }, { status, location, body, isWithheld }, now) =>
      store.inTenantModels(scope, async ({ admin_answer }) => {
        const where = { organization_id: scope.organizationId, caller, key, ended_at: null };
        const kept = { status, location: location ?? null, body, is_withheld: isWithheld };
        await admin_answer.updateMany({ where, data: { ...kept, ended_at: new Date(now) } });
      }),
    release: (scope, { caller, key }) =>
      store.inTenantModels(scope, async ({ admin_answer }) => {
        const where = { organization_id: scope.organizationId, caller, key, ended_at: null };
        await admin_answer.deleteMany({ where });
      }),
    forget: async (until) => {
      let all = 0;
      for (const organizationId of await tenantsOf(store, 'organizations_with_old_answers', until))
        all += await repeatSteps(() =>
          store.inTenant({ organizationId }, (client) =>
            client.query(forget, [organizationId, new Date(until)]),
          ),
        );
      return all;
    },
  };
}

async function claim(
  store: Store,
  scope: TenantScope,
  { caller, key, route, digest }: KeyedRequest,
  { now, keepUntil }: { readonly now: Instant; readonly keepUntil: Instant },
): Promise<KeyClaim> {
  for (;;) {
    const found = await store.inTenant(scope, async (client): Promise<KeyClaim | undefined> => {
      const { organizationId } = client;
      const values = [organizationId, caller, key, route, digest, new Date(now), new Date(keepUntil)];
      const inserted = await client.query(insert, values);
      if (inserted.rowCount > 0) return { kind: 'first' };
      // A statement of its own: it sees what another process committed while the one above waited for it.
      const row = await client.models.admin_answer.findFirst({
        where: { organization_id: organizationId, caller, key },
      });
      if (row === null) return undefined;
      if (row.route !== route || row.digest !== digest) return { kind: 'other' };
      if (row.ended_at === null) return { kind: 'unended', beganAt: row.began_at.getTime() };
      return { kind: 'answered', answer: answerOf(row) };
    });
    // The other request was refused meanwhile, and its key is free.
    if (found !== undefined) return found;
  }
}

const answerOf = rowReader<KeptAdminAnswer>()('status, location, body, is_withheld');

const insert = `
  insert into admin_answer as a (organization_id, caller, key, route, digest, began_at, keep_until)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (organization_id, caller, key) do update
  set route = excluded.route, digest = excluded.digest, began_at = excluded.began_at,
    keep_until = excluded.keep_until, ended_at = null, status = null, location = null, body = null,
    is_withheld = false
  where a.keep_until <= excluded.began_at
  returning a.key`;

const forget = `
  delete from admin_answer where ctid = any(array(
    select ctid from admin_answer where organization_id = $1 and keep_until <= $2
    order by keep_until limit ${rowsPerStep} for update skip locked))`;
