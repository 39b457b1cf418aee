import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';

/**
 * One error for each filter value in no form's closed list: it would match nothing, or be ignored. `field` is the path
 * in the buyer's request.
 */
export function closedWordFaults(
  reported: string | readonly string[] | undefined,
  field: string,
  words: readonly string[],
): readonly TaskError[] {
  const listed = typeof reported === 'string' ? [reported] : (reported ?? []);
  return listed.flatMap((word, at) =>
    words.includes(word)
      ? []
      : [
          taskError('VALIDATION_ERROR', `No protocol version has this value for ${field}.`, {
            field: typeof reported === 'string' ? field : `${field}[${at}]`,
            suggestion: `Send any of ${words.join(', ')}.`,
          }),
        ],
  );
}
