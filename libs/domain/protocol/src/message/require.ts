import type { JsonObject } from '@switchyard/values';
import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';
import { member } from './pick.js';

/** Errors for members that one form requires and the shared shape cannot. */
export function missing(args: JsonObject, names: readonly string[]): readonly TaskError[] {
  return names.filter((name) => member(args, name) === undefined).map((name) => required(name));
}

export function required(field: string, suggestion = `Add ${field}.`): TaskError {
  return taskError('VALIDATION_ERROR', `${field} is required.`, { field, suggestion });
}

/** Minimum of different characters in a key: zeros and short repeated patterns have fewer. */
const fewestDifferent = 4;
const keyPattern = /^[A-Za-z0-9_.:-]{16,255}$/;

/**
 * Errors of an idempotency key. 3.x requires one on every mutation; the older forms have none, so theirs are not
 * checked (docs/protocol/idempotency.md#requests-without-a-key). A missing or invalid key is an invalid request, before
 * its schema is checked (docs/protocol/idempotency.md#keys-of-buyers).
 */
export function keyFaults(args: JsonObject, form: string): readonly TaskError[] {
  if (form !== '3.0' && form !== '3.1') return [];
  const key = member(args, 'idempotency_key');
  if (key === undefined) return [keyMissing()];
  if (typeof key !== 'string' || !keyPattern.test(key))
    return [keyRefused('idempotency_key must be 16 to 255 letters, digits or any of _ . : -')];
  if (new Set(key).size >= fewestDifferent) return [];
  return [keyRefused('This idempotency_key is easy to guess; whoever guesses it could read your answer.')];
}

export function keyMissing(): TaskError {
  return keyRefused('idempotency_key is required.');
}

function keyRefused(message: string): TaskError {
  const suggestion = 'Send a fresh UUID per request, and the same one when you repeat it.';
  return taskError('INVALID_REQUEST', message, { field: 'idempotency_key', suggestion });
}
