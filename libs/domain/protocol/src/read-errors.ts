import type { JsonValue } from '@switchyard/values';
import type { TaskError } from './model.js';

export function readErrors(_payload: JsonValue): readonly TaskError[] {
  throw new Error('not written yet');
}
