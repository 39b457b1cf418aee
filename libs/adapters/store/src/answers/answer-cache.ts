import type { AnswerCache } from '@switchyard/fanout';
import type { Store } from '../core/open-store.js';

interface StoredRow {
  readonly id: string;
  readonly principal_id: string | null;
  readonly task: string;
  readonly question_hash: string;
  readonly answer: string;
  readonly seal: Buffer;
  readonly expires_at: Date;
}

/** Answers that are returned in pages or read back by their id, on PostgreSQL. */
export function answerCache(store: Store): AnswerCache {
  return {
    keep: (scope, stored, now) =>
      store.inTenant(scope, async (client) => {
        // Many transactions store answers at once: each deletes a few expired ones that are not locked.
        await client.query(
          `delete from kept_answer where id in
             (select id from kept_answer where expires_at <= $1 order by expires_at limit 100
              for update skip locked)`,
          [new Date(now)],
        );
        await client.query(
          `insert into kept_answer
             (id, organization_id, principal_id, task, question_hash, answer, seal, expires_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [
            stored.id,
            scope.organizationId,
            stored.principalId ?? null,
            stored.task,
            stored.questionHash,
            stored.answer,
            Buffer.from(stored.seal),
            new Date(stored.expiresAt),
          ],
        );
      }),
    find: (scope, id, now) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<StoredRow>(
          'select * from kept_answer where id = $1 and expires_at > $2',
          [id, new Date(now)],
        );
        const [row] = rows;
        if (row === undefined) return undefined;
        return {
          id: row.id,
          task: row.task,
          questionHash: row.question_hash,
          answer: row.answer,
          seal: row.seal,
          expiresAt: row.expires_at.getTime(),
          ...(row.principal_id === null ? {} : { principalId: row.principal_id }),
        };
      }),
  };
}
