import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { Dialect, Form } from '../versions/wire-profile.js';
import { listAt, member, objectAt, objectsAt, textAt } from './pick.js';

/** Members that only 3.x has. */
const modern = [
  'buying_mode',
  'destinations',
  'signal_ids',
  'signal_refs',
  'discovery_mode',
  'proposal_id',
  'refine',
  'plan_id',
];
/**
 * Mutations that every form has. An account can be named in any form, and a 3.x mutation also has a key: in these tasks
 * the account does not identify the form.
 */
const changes = [
  'create_media_buy',
  'update_media_buy',
  'sync_creatives',
  'activate_signal',
  'provide_performance_feedback',
];
/** Members that 3.x no longer has. */
const older = [
  'buyer_ref',
  'buyer_refs',
  'brand_manifest',
  'deliver_to',
  'deployments',
  'updates',
  'format_types',
];
/** Paging by number, filters with single-value variants and flags of 2.5 only. */
const olderFilters = [
  'format',
  'formats',
  'status',
  'assigned_to_package',
  'buyer_refs',
  'has_performance_data',
];

/** Members of an update beside `media_buy_id` since 2.5; the `service` form has them in `updates`. */
const changesOfBuy = ['buyer_ref', 'paused', 'start_time', 'end_time', 'packages'];

/** Filters of formats that the `service` form does not have. */
const formatFilters = [
  'type',
  'format_ids',
  'asset_types',
  'name_search',
  'is_responsive',
  'max_width',
  'min_width',
];

/**
 * The form of a request without a version field (docs/protocol/requests-and-versions.md#forms).
 *
 * A start time as an object means `service`. Other 3.x shapes mean 3.0. The rest is `service` in the `ads` dialect; in
 * `adcp` it is 2.5 if it has members of 2.5, else 3.0.
 */
export function shapeOf(taskName: string, args: JsonObject, dialect: Dialect): Form {
  if (isJsonObject(member(args, 'start_time'))) return 'service';
  const isOlder = older.some((name) => member(args, name) !== undefined) || hasOlderDeps(taskName, args);
  if (isModern(taskName, args, isOlder)) return '3.0';
  if (dialect === 'adcp') return isOlder ? '2.5' : '3.0';
  return is25(taskName, args) ? '2.5' : 'service';
}

function isModern(taskName: string, args: JsonObject, isOlder: boolean): boolean {
  if (isOlder) return false;
  if (member(args, 'account') !== undefined && !changes.includes(taskName)) return true;
  if (modern.some((name) => member(args, name) !== undefined)) return true;
  if (member(args, 'pagination') !== undefined) return true;
  if (textAt(objectAt(args, 'brand'), 'domain') !== undefined) return true;
  if (textAt(args, 'idempotency_key') !== undefined) return true;
  // A change of 2.5 has both of these: a purchase of the older forms has neither without references.
  if (taskName === 'update_media_buy') return false;
  if (objectsAt(args, 'packages').some((item) => listAt(item, 'creative_assignments') !== undefined))
    return true;
  return textAt(args, 'start_time') !== undefined;
}

/** Marks of older creative tasks: assignments as an object, paging by number, removed flags. */
function hasOlderDeps(taskName: string, args: JsonObject): boolean {
  if (objectAt(args, 'assignments') !== undefined) return true;
  const pagination = objectAt(args, 'pagination');
  if (member(pagination, 'limit') !== undefined || member(pagination, 'offset') !== undefined) return true;
  if (taskName !== 'list_creatives') return false;
  if (member(args, 'include_performance') !== undefined) return true;
  return olderFilters.some((name) => member(objectAt(args, 'filters'), name) !== undefined);
}

/** In the `ads` dialect: members that mean 2.5, not `service`. */
function is25(taskName: string, args: JsonObject): boolean {
  if (taskName === 'update_media_buy')
    return (
      member(args, 'updates') === undefined && changesOfBuy.some((name) => member(args, name) !== undefined)
    );
  if (taskName === 'create_media_buy') return textAt(args, 'start_time') !== undefined;
  if (textAt(args, 'brand_manifest') !== undefined) return true;
  // The `service` form has neither names of creatives nor pages of a library.
  if (taskName === 'sync_creatives')
    return objectsAt(args, 'creatives').some((creative) => 'name' in creative);
  if (taskName === 'list_creatives' || taskName === 'list_tasks') return hasOlderDeps(taskName, args);
  // The `service` form filters formats by type only.
  if (taskName === 'list_creative_formats')
    return formatFilters.some((name) => member(args, name) !== undefined);
  return objectAt(objectAt(args, 'filters'), 'budget_range') !== undefined;
}
