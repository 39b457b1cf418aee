import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SandboxInstance } from './sandbox-instance.js';

/** The paths that the console registers, as written in its sources: `/buys/$id`. */
export function registeredPaths(): readonly string[] {
  const folder = fileURLToPath(new URL('../../../../console/src/pages/', import.meta.url));
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const text = readFileSync(`${folder}${name}/index.ts`, 'utf8');
      return [...text.matchAll(/\bpath: '([^']+)'/g)].map(([, path = '']) => path);
    });
}

/** The id of nothing: for pages of what a fresh market has none of, which say so. */
const nobodys = '00000000-0000-4000-8000-000000000000';

/**
 * Returns a URL for each registered page, with the id of an existing item. Fails for a page without a known id, unless
 * `leavesOut` is set.
 */
export async function addressesOf(instance: SandboxInstance, leavesOut = false): Promise<readonly string[]> {
  const { media_buys: buys } = await instance.read<{
    media_buys: { media_buy_id: string; impairments: unknown[] }[];
  }>('/v1/buys');
  // Its page has the most to show.
  const buy = buys.find(({ impairments }) => impairments.length > 0) ?? buys[0];
  const { campaigns } = await instance.read<{ campaigns: { campaign_id: string }[] }>('/v1/campaigns');
  const { clients } = await instance.read<{ clients: { client_id: string }[] }>('/v1/clients');
  const { records } = await instance.read<{ records: { record_id: string }[] }>('/v1/custody');
  const { breaks } = await instance.read<{ breaks: { break_id: string }[] }>('/v1/breaks');
  const { periods } = await instance.read<{ periods: { period: string }[] }>('/v1/periods');
  const { invoices } = await instance.read<{ invoices: { invoice_id: string }[] }>('/v1/invoices');
  const { sellers } = await instance.read<{ sellers: { slug: string }[] }>('/v1/sellers');
  const { events } = await instance.read<{ events: { event_id: string }[] }>('/v1/events');
  const { principals } = await instance.read<{ principals: { principal_id: string }[] }>('/v1/principals');
  const { billing: billed } = await instance.read<{ billing: { client_invoice_id: string }[] }>(
    '/v1/billing',
  );
  const { disputes } = await instance.read<{ disputes: { dispute_id: string }[] }>('/v1/disputes');
  const known: Readonly<Record<string, string | undefined>> = {
    '/buys/$id': buy?.media_buy_id,
    '/clients/$id': clients[0]?.client_id,
    '/campaigns/$id': campaigns[0]?.campaign_id,
    '/reports/entries/$id': buy?.media_buy_id,
    '/reconcile/$id': breaks[0]?.break_id,
    '/close/$month': periods[0]?.period,
    '/invoices/$id': invoices[0]?.invoice_id,
    '/sellers/$slug': sellers[0]?.slug,
    '/calls/$id': records[0]?.record_id,
    '/webhooks/$id': events[0]?.event_id,
    '/people/$id': principals[0]?.principal_id,
    '/acts/$id': nobodys,
    '/cases/$id': nobodys,
    '/billing/$id': billed[0]?.client_invoice_id ?? nobodys,
    '/disputes/$id': disputes[0]?.dispute_id ?? nobodys,
    '/payments/$id': nobodys,
    '/plans/$id': nobodys,
    '/creatives/$id': nobodys,
    '/products/$id': nobodys,
  };
  const paths = registeredPaths().flatMap((path) => {
    if (!path.includes('$')) return [path];
    const id = known[path];
    if (id === undefined && leavesOut) return [];
    if (id === undefined)
      throw new Error(`No id is known for the page ${path}: add it to registered-pages.ts.`);
    return [path.replace(/\$\w+/, encodeURIComponent(id))];
  });
  return [...paths, '/people?principal=operator'];
}
