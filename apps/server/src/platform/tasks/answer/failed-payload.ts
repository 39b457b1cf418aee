import { projectErrors, type WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { Handled } from '../call/handler.js';

/** The members of a failed answer: its errors in the caller's version, and the members beside them. */
export function failedPayload(
  { errors, beside }: Extract<Handled, { kind: 'failed' }>,
  { dialect, form }: WireProfile,
): JsonObject {
  return { ...projectErrors(errors, dialect, form), ...beside };
}
