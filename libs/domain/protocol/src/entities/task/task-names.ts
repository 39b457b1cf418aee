import type { JsonObject } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { lifecycleTask } from '../../releases/lifecycle.js';
import { withExt } from '../../message/form.js';
import type { TaskError } from '../../errors/task-fault.js';
import { taskStatuses } from './task-status.js';
import { closedWordFaults } from '../../message/closed-values.js';

const types25 = ['create_media_buy', 'update_media_buy', 'sync_creatives', 'activate_signal', 'get_signals'];
const types30 = [
  ...types25,
  ...['create_property_list', 'update_property_list', 'get_property_list', 'list_property_lists'],
  ...['delete_property_list', 'sync_accounts', 'get_account_financials', 'get_creative_delivery'],
  ...['sync_event_sources', 'sync_audiences', 'sync_catalogs', 'log_event', 'get_brand_identity'],
  ...['get_rights', 'acquire_rights'],
];
const types31 = [...types30, ...['media_buy_delivery', 'build_creative', 'get_products', 'search_brands']];
const types = { '2.5': types25, '3.0': types30, '3.1': types31 } as const;

const areas25 = ['media-buy', 'signals'];
const areas30 = [...areas25, 'governance', 'creative', 'brand', 'sponsored-intelligence'];
/** Protocols where a single task is shown. */
const areas = { '2.5': areas25, '3.0': areas30, '3.1': [...areas30, 'measurement'] } as const;
/** Protocols in lists of tasks. */
const listed = { '2.5': areas25, '3.0': areas25, '3.1': [...areas25, 'creative'] } as const;

/** Every task type, in any form. */
export const taskTypes: readonly string[] = types['3.1'];
/** Every protocol that tasks belong to, in any form. */
const taskAreas: readonly string[] = areas['3.1'];

/** A task's type and protocol, as a form names them. */
interface TaskNames {
  readonly taskType: string;
  readonly protocol: string;
  /** The actual type and protocol in our extension, where a form does not have them. */
  readonly ext: JsonObject;
}

/**
 * Every release has shapes for a pending product search, but the lists of types in 2.5 and 3.0 lack it: it is named
 * anyway. Under another type, the products would be read as the result of an update.
 */
const namedEverywhere = 'get_products';

/** Whether a form has this task type. The `service` form allows any; tasks of a later release are shown to its callers alone. */
export function isTaskType(word: unknown, to: Form): boolean {
  if (to === 'service' || word === namedEverywhere) return true;
  return types[to].some((type) => type === word) || lifecycleTask(String(word)) !== undefined;
}

/** Whether a form has this protocol, for a single task or in a list. */
export function isTaskArea(word: unknown, to: Form, isListed = false): boolean {
  return to === 'service' || (isListed ? listed : areas)[to].some((area) => area === word);
}

/**
 * The type and protocol of a task in a form. Every release has a closed list of types and requires one. Another type is
 * replaced by the nearest one with the same meaning for the reader, and named in our extension.
 */
export function taskNames(taskType: string, protocol: string, to: Form, isListed = false): TaskNames {
  const hasType = isTaskType(taskType, to);
  const hasArea = isTaskArea(protocol, to, isListed);
  if (hasType && hasArea) return { taskType, protocol, ext: {} };
  const truth = { ...(hasType ? {} : { task_type: taskType }), ...(hasArea ? {} : { protocol }) };
  return {
    taskType: hasType ? taskType : nearestType(taskType, protocol),
    protocol: hasArea ? protocol : 'media-buy',
    ext: withExt({}, truth),
  };
}

/** The nearest type: `get_signals` for signals, `sync_creatives` for creatives, else `update_media_buy`. */
function nearestType(taskType: string, protocol: string): string {
  if (protocol === 'signals') return 'get_signals';
  return protocol === 'creative' || taskType.includes('creative') ? 'sync_creatives' : 'update_media_buy';
}

type Words = string | readonly string[] | undefined;

/** The task list filters with closed lists of values. */
interface ClosedTaskFilters {
  readonly protocol?: Words;
  readonly protocols?: Words;
  readonly domain?: Words;
  readonly domains?: Words;
  readonly status?: Words;
  readonly statuses?: Words;
  readonly task_type?: Words;
  readonly task_types?: Words;
}

/** One error for each unknown status, type or protocol of tasks. A value of another form is accepted and applied. */
export function taskFilterFaults(filters: ClosedTaskFilters = {}): readonly TaskError[] {
  const faultsOf = (names: readonly (keyof ClosedTaskFilters)[], words: readonly string[]) =>
    names.flatMap((name) => closedWordFaults(filters[name], `filters.${name}`, words));
  return [
    ...faultsOf(['protocol', 'protocols', 'domain', 'domains'], taskAreas),
    ...faultsOf(['status', 'statuses'], taskStatuses),
    ...faultsOf(['task_type', 'task_types'], taskTypes),
  ];
}
