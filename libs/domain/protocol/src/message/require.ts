import type { JsonObject } from '@switchyard/values';
import { type TaskError, taskError } from '../errors/task-error.js';
import { member } from './pick.js';

/** Errors for members that one form demands and the shared shape cannot, each with its name. */
export function missing(args: JsonObject, names: readonly string[]): readonly TaskError[] {
  return names.filter((name) => member(args, name) === undefined).map((name) => required(name));
}

export function required(field: string, suggestion = `Add ${field}.`): TaskError {
  return taskError('VALIDATION_ERROR', `${field} is required.`, { field, suggestion });
}

/** Of the characters of a key: zeros and short patterns that repeat have fewer. */
const fewestDifferent = 4;
const keyPattern = /^[A-Za-z0-9_.:-]{16,255}$/;

/**
 * 3.x wants a key on every mutation; the older forms have none, and a short one of theirs is theirs
 * (docs/protocol/idempotency.md#requests-without-a-key). One that is missing or no key at all is no request, whatever
 * its schema would say of it (docs/protocol/idempotency.md#keys-of-buyers).
 */
export function keyFaults(args: JsonObject, form: string): readonly TaskError[] {
  if (form !== '3.0' && form !== '3.1') return [];
  const key = member(args, 'idempotency_key');
  if (key === undefined) return [keyMissing()];
  if (typeof key !== 'string' || !keyPattern.test(key))
    return [keyRefused('idempotency_key has to be 16 to 255 letters, digits or any of _ . : -')];
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
