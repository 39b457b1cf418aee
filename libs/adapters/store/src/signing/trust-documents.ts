import type { TrustDocuments } from '@switchyard/sellers';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';

/** The last valid copies of public trust documents. They belong to no tenant. */
export function trustDocuments(store: Store): TrustDocuments {
  return {
    read: async (url) => {
      const found = await store.models.trust_document.findFirst({ where: { url } });
      return found === null ? undefined : documentOf(found);
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

const documentOf =
  rowReader<NonNullable<Awaited<ReturnType<TrustDocuments['read']>>>>()('content, fetched_at');
