import { taskError, type TaskError } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';

const feedMembers = ['if_wholesale_feed_version', 'if_pricing_version'] as const;

/**
 * Errors of a `get_products` request that do not fit its `buying_mode` (docs/protocol/products.md#buying-modes): a
 * search by brief needs a brief, the other modes have none; only a refinement names changes, and only a wholesale
 * catalogue has a version of its feed. A request without a mode is of an older version, which has no such rules.
 */
export function modeErrors(args: JsonObject): readonly TaskError[] {
  const { buying_mode: mode, brief, refine } = args;
  if (mode !== 'refine' && Array.isArray(refine) && refine.length > 0)
    return [
      fault('buying_mode', 'Changes are asked for by the buying_mode refine alone.', 'Send refine there.'),
    ];
  if (mode === undefined || mode === null) return [];
  const hasBrief = typeof brief === 'string' && brief.trim() !== '';
  const faults: TaskError[] = [];
  if (mode === 'brief' && !hasBrief)
    faults.push(fault('brief', 'A question by brief needs one.', 'Send brief, or ask for wholesale.'));
  if (mode !== 'brief' && hasBrief)
    faults.push(
      fault('brief', 'A brief belongs to the buying_mode brief alone.', 'Leave it out, or ask by brief.'),
    );
  if (mode === 'refine' && !(Array.isArray(refine) && refine.length > 0))
    faults.push(fault('refine', 'A refinement needs what is to be changed.', 'Send refine with a change.'));
  for (const name of feedMembers)
    if (mode !== 'wholesale' && args[name] !== undefined)
      faults.push(
        fault(name, 'Only the wholesale feed has a version.', 'Leave it out, or ask for wholesale.'),
      );
  return faults;
}

function fault(field: string, message: string, suggestion: string): TaskError {
  return taskError('INVALID_REQUEST', message, { field, suggestion });
}
