import type { Json } from '../sdk/load-sdk-server.js';
import type { SalesBooks } from './sales-books.js';

interface Held {
  readonly creative_id: string;
  readonly name: string;
  readonly format_id: Json;
}

const formatId = { agent_url: 'https://creatives.example', id: 'video_30s' };

/** The other tasks of a sales agent on the SDK's server side: updates, creatives and feedback. */
export function fullDesk(
  books: SalesBooks,
): Readonly<Record<string, (...given: never[]) => Promise<unknown>>> {
  const library = new Map<string, Held>();
  return {
    updateMediaBuy: (
      id: string,
      patch: { readonly packages?: readonly Json[]; readonly canceled?: true },
    ) => {
      const buy = books.buys.find((bookedBuy) => bookedBuy.media_buy_id === id);
      if (buy === undefined) return Promise.reject(new Error('there is no such buy'));
      books.changes.push({ id, patch });
      return Promise.resolve({
        media_buy_id: id,
        status: patch.canceled === true ? 'canceled' : 'pending_start',
        revision: books.changes.length + 1,
        affected_packages: buy.packages.map(({ package_id }) => ({ package_id })),
      });
    },
    syncCreatives: (creatives: readonly Held[]) => {
      const rows = creatives.map(({ creative_id: id }) => ({
        creative_id: id,
        action: library.has(id) ? 'updated' : 'created',
      }));
      for (const creative of creatives) library.set(creative.creative_id, creative);
      return Promise.resolve(rows);
    },
    listCreatives: () => {
      const now = new Date().toISOString();
      const creatives = [...library.values()].map(({ creative_id, name, format_id }) => ({
        creative_id,
        name,
        format_id,
        status: 'approved',
        created_date: now,
        updated_date: now,
      }));
      return Promise.resolve({
        query_summary: { total_matching: creatives.length, returned: creatives.length },
        pagination: { has_more: false },
        creatives,
      });
    },
    listCreativeFormats: () =>
      Promise.resolve({ formats: [{ format_id: formatId, name: 'Video of 30 seconds' }] }),
    providePerformanceFeedback: (feedback: Json) => {
      books.feedback.push(feedback);
      return Promise.resolve({ success: true });
    },
  };
}
