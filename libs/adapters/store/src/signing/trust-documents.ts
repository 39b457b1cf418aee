import type { TrustDocuments } from '@switchyard/sellers';
import type { JsonValue } from '@switchyard/values';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';

/** The last valid copies of public trust documents. They belong to no tenant. */
export function trustDocuments(store: Store): TrustDocuments {
  return {
    read: async (url) => {
      const { rows } = await run<{ content: JsonValue; fetched_at: Date }>(
        store.pool,
        'select content, fetched_at from trust_document where url = $1',
        [url],
      );
      const [row] = rows;
      return row === undefined ? undefined : { content: row.content, fetchedAt: row.fetched_at.getTime() };
    },
    write: async (url, { content, fetchedAt }) => {
      // Of two processes the newer copy wins, whichever is written last.
      await run(
        store.pool,
        `insert into trust_document as kept (url, content, fetched_at) values ($1, $2::jsonb, $3)
         on conflict (url) do update set content = excluded.content, fetched_at = excluded.fetched_at
         where kept.fetched_at <= excluded.fetched_at`,
        [url, JSON.stringify(content), new Date(fetchedAt)],
      );
    },
  };
}
