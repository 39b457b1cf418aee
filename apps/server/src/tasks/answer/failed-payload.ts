import { projectErrors, type WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { Handled } from '../handler.js';

/** The members of an answer that failed: its errors in the caller's words, and what is said beside them. */
export function failedPayload(
  { errors, beside }: Extract<Handled, { kind: 'failed' }>,
  { dialect, form }: WireProfile,
): JsonObject {
  return { ...projectErrors(errors, dialect, form), ...beside };
}
