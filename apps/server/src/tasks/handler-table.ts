import { taskTable } from '@switchyard/protocol';
import { activateSignal } from './activate-signal.js';
import { cancelTask } from './cancel-task.js';
import { createMediaBuy } from './create-media-buy.js';
import { getCapabilities } from './get-capabilities.js';
import { getMediaBuyDelivery } from './get-media-buy-delivery.js';
import { getMediaBuys } from './get-media-buys.js';
import { getProducts } from './get-products.js';
import { getSignals } from './get-signals.js';
import { getTask } from './get-task.js';
import { listAccounts } from './list-accounts.js';
import { listAuthorizedProperties } from './list-authorized-properties.js';
import { listCreativeFormats } from './list-creative-formats.js';
import { listCreatives } from './list-creatives.js';
import { listTasks } from './list-tasks.js';
import { providePerformanceFeedback } from './provide-performance-feedback.js';
import { reportUsage } from './report-usage.js';
import { syncAccounts } from './sync-accounts.js';
import { syncCreatives } from './sync-creatives.js';
import { updateMediaBuy } from './update-media-buy.js';
import type { Handled, HandledCall, HandlerDeps } from './handler.js';

// A handler takes its own task's request, so only `any` can type them all. The spec that reads the request and the
// handler that takes it are in one row, which keeps them in step.
// oxlint-disable-next-line typescript/no-explicit-any
type AnyHandler = (deps: HandlerDeps, handled: HandledCall<any>) => Promise<Handled>;

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
