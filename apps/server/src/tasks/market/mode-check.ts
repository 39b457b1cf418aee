import { taskError, type TaskError } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';

const feedMembers = ['if_wholesale_feed_version', 'if_pricing_version'] as const;

/**
 * What does not go with the `buying_mode` that a question for products names (docs/protocol/products.md#buying-modes):
 * a search by brief has one, the other modes have none, a refinement says what to change and is the only one that does,
 * and only a catalogue as a whole has a version of its feed. A question that names no mode is of an older form, which
 * has no refinements and no other such rule.
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
