import { type TaskError, taskError } from '../errors/task-error.js';

/**
 * One error for each word of a filter that is in no form's closed list: it would find nothing, or all there is, as if it
 * had been understood. The field is where the buyer wrote it.
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
          taskError('VALIDATION_ERROR', `No form of the protocol has this word for ${field}.`, {
            field: typeof reported === 'string' ? field : `${field}[${at}]`,
            suggestion: `Send any of ${words.join(', ')}.`,
          }),
        ],
  );
}
