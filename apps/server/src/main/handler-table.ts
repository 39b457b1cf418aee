import { taskTable } from '@switchyard/protocol';
import { activateSignal } from '../market/activate-signal.js';
import { cancelTask } from '../buys/tasks/cancel-task.js';
import { createMediaBuy } from '../buys/tasks/create-media-buy.js';
import { getCapabilities } from '../sellers/get-capabilities.js';
import { getMediaBuyDelivery } from '../buys/tasks/get-media-buy-delivery.js';
import { getMediaBuys } from '../buys/tasks/get-media-buys.js';
import { getProducts } from '../market/get-products.js';
import { getSignals } from '../market/get-signals.js';
import { getTask } from '../buys/tasks/get-task.js';
import { listAccounts } from '../business/list-accounts.js';
import { listAuthorizedProperties } from '../market/list-authorized-properties.js';
import { listCreativeFormats } from '../market/list-creative-formats.js';
import { listCreatives } from '../creatives/list-creatives.js';
import { listTasks } from '../buys/tasks/list-tasks.js';
import { providePerformanceFeedback } from '../buys/tasks/provide-performance-feedback.js';
import { reportUsage } from '../buys/tasks/report-usage.js';
import { syncAccounts } from '../business/sync-accounts.js';
import { syncCreatives } from '../creatives/sync-creatives.js';
import { updateMediaBuy } from '../buys/tasks/update-media-buy.js';
import type { AnyHandler } from '../platform/tasks/call/handler.js';

/** The handler of every task in the protocol's table: a missing row does not compile. */
const handlers = {
  getCapabilities,
  getProducts,
  getSignals,
  listCreativeFormats,
  syncCreatives,
  listCreatives,
  createMediaBuy,
  updateMediaBuy,
  getMediaBuys,
  getMediaBuyDelivery,
  activateSignal,
  getTask,
  listTasks,
  cancelTask,
  listAuthorizedProperties,
  listAccounts,
  syncAccounts,
  providePerformanceFeedback,
  reportUsage,
} as const satisfies Record<keyof typeof taskTable, AnyHandler>;

const byName: ReadonlyMap<string, AnyHandler> = new Map(
  (Object.keys(taskTable) as (keyof typeof taskTable)[]).map((row) => [taskTable[row].name, handlers[row]]),
);

export function handlerOf(taskName: string): AnyHandler {
  const handler = byName.get(taskName);
  if (handler === undefined) throw new Error(`No handler answers ${taskName}.`);
  return handler;
}
