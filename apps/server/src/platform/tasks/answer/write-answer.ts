import { lostInAnswer, type TaskSpec, type WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { withOurs } from './extend-answer.js';

/**
 * An answer in its caller's version, with findings about what that version cannot express: nothing is dropped silently.
 * Every answer to a buyer is written here, except our own capabilities, which lose nothing.
 */
export function writeAnswer<Answer extends object>(
  task: Pick<TaskSpec<never, Answer>, 'name' | 'projectAnswer'>,
  answer: Answer,
  profile: WireProfile,
): JsonObject {
  const written = task.projectAnswer(answer, profile);
  const findings = lostInAnswer(task.name, answer, written, profile.form).map(
    ({ seller, code, message, field }): JsonObject => ({
      ...(seller === undefined ? {} : { seller }),
      code,
      message,
      ...(field === undefined ? {} : { field }),
    }),
  );
  return withOurs(written, { findings }, profile);
}
