import type { AnswerCache, StoredAnswer } from '@switchyard/fanout';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';

const readAnswer = rowReader<StoredAnswer>()(
  'id, principal_id, task, request_hash, answer, cursor_key, expires_at',
);

/** Answers that are returned in pages or read back by their id, on PostgreSQL. */
export function answerCache(store: Store): AnswerCache {
  return {
    store: (scope, stored, now) =>
      store.inTenant(scope, async (client) => {
        // Many transactions store answers at once: each deletes a few expired ones that are not locked.
        await client.query(
          `delete from stored_answer where id in
             (select id from stored_answer where expires_at <= $1 order by expires_at limit 100
              for update skip locked)`,
          [new Date(now)],
        );
        await insert(client, scope, stored);
      }),
    claim: (scope, stored, now) => store.inTenant(scope, (client) => insert(client, scope, stored, now)),
    find: (scope, id, now) =>
      store.inTenant(scope, async (client) => {
        const text = 'select * from stored_answer where id = $1 and expires_at > $2';
        return (await client.query<Row>(text, [id, new Date(now)])).rows.map(readAnswer)[0];
      }),
  };
}

/** Stores an answer; in place of one with its id only if that expired by `expiredAt`, if given. Returns whether it did. */
async function insert(
  client: TenantClient,
  { organizationId }: TenantScope,
  stored: StoredAnswer,
  expiredAt?: Instant,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into stored_answer
       (id, organization_id, principal_id, task, request_hash, answer, cursor_key, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (id) do update set answer = excluded.answer, expires_at = excluded.expires_at
       where $9::timestamptz is null or stored_answer.expires_at <= $9`,
    [
      stored.id,
      organizationId,
      stored.principalId ?? null,
      stored.task,
      stored.requestHash,
      stored.answer,
      Buffer.from(stored.cursorKey),
      new Date(stored.expiresAt),
      expiredAt === undefined ? null : new Date(expiredAt),
    ],
  );
  return rowCount === 1;
}
