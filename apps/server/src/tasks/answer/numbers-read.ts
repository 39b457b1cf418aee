import { taskError, type TaskError } from '@switchyard/protocol';
import { fieldOfPointer } from './field-of-pointer.js';

/**
 * The numbers of a request that a double cannot hold, and which of them its task has read as the text that they are.
 *
 * Amounts are read so. Every other number travels on as a double: a `context` would come back changed, and a seller
 * would be told of another segment than the buyer named. Such a request is refused rather than altered.
 */
export class NumbersRead extends Map<string, string> {
  readonly #read = new Set<string>();

  override get(pointer: string): string | undefined {
    this.#read.add(pointer);
    return super.get(pointer);
  }

  /** One error for each number that nobody has read exactly, with its place. */
  faults(): readonly TaskError[] {
    return [...this.keys()]
      .filter((pointer) => !this.#read.has(pointer))
      .map((pointer) =>
        taskError('INVALID_REQUEST', 'This number has more digits than would come through unchanged.', {
          field: fieldOfPointer(pointer),
          suggestion: 'Send it as text.',
        }),
      );
  }
}
