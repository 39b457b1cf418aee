import type { JsonObject } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { withExt } from '../../message/form.js';

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
/** Where one task is shown. */
const areas = { '2.5': areas25, '3.0': areas30, '3.1': [...areas30, 'measurement'] } as const;
/** Where tasks are listed. */
const listed = { '2.5': areas25, '3.0': areas25, '3.1': [...areas25, 'creative'] } as const;

/** Every kind of task, in any form. */
export const taskTypes: readonly string[] = types['3.1'];
/** Every word for where tasks belong, in any form. */
export const taskAreas: readonly string[] = areas['3.1'];

/** What a task is and where it belongs, as far as a form has words for it. */
export interface TaskWords {
  readonly taskType: string;
  readonly protocol: string;
  /** The true words under our own name, where others stand in for them. */
  readonly ext: JsonObject;
}

/**
 * Every release has shapes for a search for products that is under way, and 2.5 and 3.0 no such kind in their lists: it
 * is told by its name all the same. Another one would have its reader take what was found for the outcome of a change.
 */
const namedEverywhere = 'get_products';

/** Whether a kind of task is told by its name in a form. Empty is what nobody named. */
export function isTaskType(word: unknown, to: Form): boolean {
  return to === 'service' || word === namedEverywhere || types[to].some((one) => one === word);
}

/** Whether a form has a word for where a task belongs, where it is shown alone or in a list. */
export function isTaskArea(word: unknown, to: Form, isListed = false): boolean {
  return to === 'service' || (isListed ? listed : areas)[to].some((one) => one === word);
}

/**
 * Every release closes its list of kinds of tasks, and demands one of them. A task of another kind stands under the
 * nearest one that has the same outcome for its reader, with the true name among our own words.
 */
export function taskWords(taskType: string, protocol: string, to: Form, isListed = false): TaskWords {
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

/** What concerns signals is a question for them; what concerns creatives brings them; the rest is work on a buy. */
function nearestType(taskType: string, protocol: string): string {
  if (protocol === 'signals') return 'get_signals';
  return protocol === 'creative' || taskType.includes('creative') ? 'sync_creatives' : 'update_media_buy';
}
