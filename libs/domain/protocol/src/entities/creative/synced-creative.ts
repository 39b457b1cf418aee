import {
  defined,
  err,
  isJsonObject,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { CreativeAction, CreativeAtSeller, SyncedCreative } from './creative-messages.js';
import type { Finding } from '../../losses/finding.js';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';
import { projectError } from '../../errors/project-errors.js';
import { readErrors } from '../../errors/read-errors.js';
import type { Form, WireProfile } from '../../versions/wire-profile.js';
import { projectCreativeStatus, readCreativeStatus } from './creative.js';
import { withExt } from '../../message/form.js';
import { listAt, objectAt, textAt, textsAt } from '../../message/pick.js';

const actions: ReadonlySet<string> = new Set<CreativeAction>([
  'created',
  'updated',
  'unchanged',
  'failed',
  'deleted',
]);

/** Reads one row of a seller's answer. A row without a creative id or with an unknown action is set aside. */
export function readSynced(value: JsonValue, _from: Form): Result<SyncedCreative, Finding> {
  const setAside = (message: string): Result<never, Finding> => err({ code: 'CREATIVE_SET_ASIDE', message });
  if (!isJsonObject(value)) return setAside('a creative is no object');
  const creativeId = textAt(value, 'creative_id');
  if (creativeId === undefined) return setAside('a creative has no creative_id');
  const status = readCreativeStatus(value['status']);
  const action = textAt(value, 'action') ?? (status === undefined ? undefined : 'updated');
  if (action === undefined || !actions.has(action)) return setAside('a creative has no action that we know');
  return ok({
    creativeId,
    action: action as CreativeAction,
    changes: textsAt(value, 'changes'),
    errors: errorsOf(value),
    warnings: textsAt(value, 'warnings'),
    assignedTo: textsAt(value, 'assigned_to'),
    assignmentErrors: textsIn(objectAt(value, 'assignment_errors')),
    ...defined({ status, platformId: textAt(value, 'platform_id') }),
  });
}

/** Reads the errors of an item: texts in 2.5, objects in 3.x. */
function errorsOf(value: JsonObject): readonly TaskError[] {
  const texts = (listAt(value, 'errors') ?? []).filter((item) => typeof item === 'string');
  // Equal errors are one error, as elsewhere.
  if (texts.length > 0) return [...new Set(texts)].map((message) => taskError('CREATIVE_REJECTED', message));
  return readErrors(value);
}

function textsIn(object: JsonObject | undefined): Readonly<Record<string, string>> {
  const entries = Object.entries(object ?? {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Writes one row of our answer. Only 3.1 and `service` have a state, and not for failed or deleted creatives. */
export function projectSynced(creative: SyncedCreative, to: WireProfile): JsonObject {
  const isGone = creative.action === 'failed' || creative.action === 'deleted';
  const hasStatus = (to.form === '3.1' || to.form === 'service') && !isGone;
  const status =
    hasStatus && creative.status !== undefined ? projectCreativeStatus(creative.status, to.form) : undefined;
  const row = defined({
    creative_id: creative.creativeId,
    action: creative.action,
    status,
    platform_id: creative.platformId,
    changes: creative.changes.length === 0 ? undefined : [...creative.changes],
    errors: creative.errors.length === 0 ? undefined : errorsIn(creative.errors, to),
    warnings: creative.warnings.length === 0 ? undefined : [...creative.warnings],
    assigned_to: creative.assignedTo.length === 0 ? undefined : [...creative.assignedTo],
    assignment_errors:
      Object.keys(creative.assignmentErrors).length === 0 ? undefined : { ...creative.assignmentErrors },
  }) as JsonObject;
  return withSellers(row, creative.sellers, to.form);
}

function errorsIn(errors: readonly TaskError[], to: WireProfile): JsonValue {
  if (to.form === '2.5') return errors.map((error) => error.message);
  return errors.map((error) => projectError(error, to.dialect, to.form));
}

/** Adds the state at each seller: as a member in the `service` form, under `ext.switchyard` elsewhere. */
export function withSellers(
  item: JsonObject,
  sellers: readonly CreativeAtSeller[] | undefined,
  to: Form,
): JsonObject {
  if (sellers === undefined) return item;
  const rows = sellers.map(
    ({ seller, status, action, reason, asOf, packages }) =>
      defined({
        seller,
        status,
        action,
        reason,
        as_of: asOf,
        packages: packages?.map((approval) => ({
          package_id: approval.packageId,
          approval_status: approval.status,
          ...defined({ rejection_reason: approval.reason, as_of: approval.asOf }),
        })),
      }) as JsonObject,
  );
  return to === 'service' ? { ...item, sellers: rows } : { ...item, ...withExt(item, { sellers: rows }) };
}
