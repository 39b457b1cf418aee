import { taskError, type TaskError } from '@switchyard/protocol';
import { fieldOfPointer } from '../../field-of-pointer.js';

/**
 * The numbers of a request that a double cannot represent, and those that the task has read as text.
 *
 * Amounts are read as text. Every other number is forwarded as a double: a `context` would come back changed, and a
 * seller would get another segment than the buyer named. Such a request is refused instead of altered.
 */
export class NumbersRead extends Map<string, string> {
  readonly #read = new Set<string>();

  override get(pointer: string): string | undefined {
    this.#read.add(pointer);
    return super.get(pointer);
  }

  /** One error for each number that was not read as text, with its place. */
  faults(): readonly TaskError[] {
    return [...this.keys()]
      .filter((pointer) => !this.#read.has(pointer))
      .map((pointer) =>
        taskError('INVALID_REQUEST', 'This number has too many digits to be passed on unchanged.', {
          field: fieldOfPointer(pointer),
          suggestion: 'Send it as a string.',
        }),
      );
  }
}
