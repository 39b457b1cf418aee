import { activateSignal } from './tasks/activate-signal.js';
import { cancelTask } from './tasks/cancel-task.js';
import { createMediaBuy } from './tasks/create-media-buy.js';
import { getCapabilities } from './tasks/get-capabilities.js';
import { getMediaBuyDelivery } from './tasks/get-media-buy-delivery.js';
import { getMediaBuys } from './tasks/get-media-buys.js';
import { getProducts } from './tasks/get-products.js';
import { getSignals } from './tasks/get-signals.js';
import { getTask } from './tasks/get-task.js';
import { listAccounts } from './tasks/list-accounts.js';
import { listAuthorizedProperties } from './tasks/list-authorized-properties.js';
import { listCreativeFormats } from './tasks/list-creative-formats.js';
import { listCreatives } from './tasks/list-creatives.js';
import { listTasks } from './tasks/list-tasks.js';
import { providePerformanceFeedback } from './tasks/provide-performance-feedback.js';
import { reportUsage } from './tasks/report-usage.js';
import { syncAccounts } from './tasks/sync-accounts.js';
import { syncCreatives } from './tasks/sync-creatives.js';
import { updateMediaBuy } from './tasks/update-media-buy.js';
import { acrossReleases } from './releases/across-releases.js';
import { lifecycleTask } from './releases/lifecycle.js';
import type { TaskSpec } from './task-spec.js';
import type { Dialect } from './versions/wire-profile.js';

/** A row of the table whose request and answer types the caller does not know. */
// A spec both takes and returns its own types, so only `any` accepts all specs.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyTaskSpec = TaskSpec<any, any>;

/** All tasks of the platform. A task is one row here and one file in `tasks/`. */
export const taskTable = {
  getCapabilities: acrossReleases(getCapabilities),
  getProducts: acrossReleases(getProducts),
  getSignals: acrossReleases(getSignals),
  listCreativeFormats: acrossReleases(listCreativeFormats),
  syncCreatives: acrossReleases(syncCreatives),
  listCreatives: acrossReleases(listCreatives),
  createMediaBuy: acrossReleases(createMediaBuy),
  updateMediaBuy: acrossReleases(updateMediaBuy),
  getMediaBuys: acrossReleases(getMediaBuys),
  getMediaBuyDelivery: acrossReleases(getMediaBuyDelivery),
  activateSignal: acrossReleases(activateSignal),
  getTask: acrossReleases(getTask),
  listTasks: acrossReleases(listTasks),
  cancelTask: acrossReleases(cancelTask),
  listAuthorizedProperties: acrossReleases(listAuthorizedProperties),
  listAccounts: acrossReleases(listAccounts),
  syncAccounts: acrossReleases(syncAccounts),
  providePerformanceFeedback: acrossReleases(providePerformanceFeedback),
  reportUsage: acrossReleases(reportUsage),
} as const;

export const tasks: readonly AnyTaskSpec[] = Object.values(taskTable);

const byName: ReadonlyMap<string, AnyTaskSpec> = new Map(
  tasks.flatMap((spec) =>
    [spec.name, ...spec.names.ads, ...spec.names.adcp].map((name) => [name, spec] as const),
  ),
);

/** Returns the task with this name in either dialect. */
export function findTask(name: string): AnyTaskSpec | undefined {
  return byName.get(name);
}

/**
 * The same for callers of our own endpoints: for a task of a later release the one that serves it. Not for what others seal
 * or are granted: the arguments of such a task are its own, and the one that serves it allows more.
 */
export function servingTask(name: string): AnyTaskSpec | undefined {
  return findTask(name) ?? findTask(lifecycleTask(name)?.servedBy ?? '');
}

/** Returns the name of the task in a dialect. */
export function taskNameIn(spec: Pick<AnyTaskSpec, 'names'>, dialect: Dialect): string {
  return spec.names[dialect][0];
}

/**
 * Returns the name of a task at a seller: the first of the dialect's names that its tools include. A seller without a
 * list gets the first name.
 */
export function taskNameAt(
  spec: Pick<AnyTaskSpec, 'names'>,
  dialect: Dialect,
  tools: Readonly<Record<string, readonly string[]>> | undefined,
): string {
  const listed =
    tools === undefined ? undefined : spec.names[dialect].find((name) => Object.hasOwn(tools, name));
  return listed ?? taskNameIn(spec, dialect);
}
