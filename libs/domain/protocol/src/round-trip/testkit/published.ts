import type { Published, Release } from '@switchyard/testing';
import { formAt } from './peers.js';
import type { taskTable } from '../../task-table.js';

type Row = keyof typeof taskTable;

/** Paths of a task's request and answer in a release, without `-request` and `-response`. */
const paths: Readonly<Record<Row, Partial<Record<Release, string>>>> = {
  getCapabilities: { '3.0': 'protocol/get-adcp-capabilities', '3.1': 'protocol/get-adcp-capabilities' },
  getProducts: everywhere('media-buy/get-products'),
  getSignals: everywhere('signals/get-signals'),
  listCreativeFormats: everywhere('media-buy/list-creative-formats'),
  syncCreatives: { ...everywhere('creative/sync-creatives'), '2.5': 'media-buy/sync-creatives' },
  listCreatives: { ...everywhere('creative/list-creatives'), '2.5': 'media-buy/list-creatives' },
  createMediaBuy: everywhere('media-buy/create-media-buy'),
  updateMediaBuy: everywhere('media-buy/update-media-buy'),
  getMediaBuys: { '3.0': 'media-buy/get-media-buys', '3.1': 'media-buy/get-media-buys' },
  getMediaBuyDelivery: everywhere('media-buy/get-media-buy-delivery'),
  activateSignal: everywhere('signals/activate-signal'),
  getTask: everywhere('core/tasks-get'),
  listTasks: everywhere('core/tasks-list'),
  // No release has a schema for it.
  cancelTask: {},
  listAuthorizedProperties: { '2.5': 'media-buy/list-authorized-properties' },
  listAccounts: { '3.0': 'account/list-accounts', '3.1': 'account/list-accounts' },
  syncAccounts: { '3.0': 'account/sync-accounts', '3.1': 'account/sync-accounts' },
  providePerformanceFeedback: everywhere('media-buy/provide-performance-feedback'),
  reportUsage: { '3.0': 'account/report-usage', '3.1': 'account/report-usage' },
};

function everywhere(path: string): Partial<Record<Release, string>> {
  return { '2.5': path, '3.0': path, '3.1': path };
}

/** The tasks with schemas in a release, each with its path. */
export function publishedTasks(release: Published): readonly (readonly [Row, string])[] {
  const form = formAt(release);
  if (form === 'service') return [];
  return (Object.entries(paths) as [Row, Partial<Record<Release, string>>][]).flatMap(([row, places]) => {
    const path = places[form];
    return path === undefined ? [] : [[row, path] as const];
  });
}
