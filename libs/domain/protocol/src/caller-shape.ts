import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { Dialect, Form } from './voice.js';
import { listAt, member, objectAt, objectsAt, textAt } from './wire/pick.js';

/** Members that only 3.x has. */
const modern = [
  'buying_mode',
  'destinations',
  'account',
  'signal_ids',
  'signal_refs',
  'discovery_mode',
  'proposal_id',
  'refine',
  'plan_id',
  'pagination',
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

/**
 * The form that a request without a version field is in (ruling 2, last sentence).
 *
 * A start time as an object is the service description's own. 3.x shapes without a name are 3.0. What is left is
 * `service` in the `ads` dialect; in `adcp` it is 2.5 where members of that age stand in it, else 3.0.
 */
export function shapeOf(taskName: string, args: JsonObject, dialect: Dialect): Form {
  if (isJsonObject(member(args, 'start_time'))) return 'service';
  const isOlder = older.some((name) => member(args, name) !== undefined);
  if (isModern(args, isOlder)) return '3.0';
  if (dialect === 'adcp') return isOlder ? '2.5' : '3.0';
  return is25(taskName, args) ? '2.5' : 'service';
}

function isModern(args: JsonObject, isOlder: boolean): boolean {
  if (isOlder) return false;
  if (modern.some((name) => member(args, name) !== undefined)) return true;
  if (textAt(objectAt(args, 'brand'), 'domain') !== undefined) return true;
  if (objectsAt(args, 'packages').some((one) => listAt(one, 'creative_assignments') !== undefined))
    return true;
  // The older forms have neither keys nor a start time as text without references.
  return textAt(args, 'idempotency_key') !== undefined || textAt(args, 'start_time') !== undefined;
}

/** In the `ads` dialect two shapes tell 2.5 from the service description: a start as text, a manifest as its address. */
function is25(taskName: string, args: JsonObject): boolean {
  if (taskName === 'create_media_buy') return textAt(args, 'start_time') !== undefined;
  if (textAt(args, 'brand_manifest') !== undefined) return true;
  return objectAt(objectAt(args, 'filters'), 'budget_range') !== undefined;
}
