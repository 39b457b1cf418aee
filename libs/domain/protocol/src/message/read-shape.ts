import { err, isJsonObject, ok, sanitizeKeyName, type JsonObject, type Result } from '@switchyard/values';
import type { z } from 'zod';
import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';
import { requirementOf } from './requirement.js';

const maxErrors = 20;

/**
 * Validates a message. The result is the message itself, typed: schemas validate and never transform, so that unknown
 * members are not lost.
 */
export function readShape<Schema extends z.ZodType>(
  schema: Schema,
  value: JsonObject,
): Result<z.infer<Schema>, readonly TaskError[]> {
  const verdict = schema.safeParse(value);
  if (verdict.success) return ok(value as z.infer<Schema>);
  return err(verdict.error.issues.slice(0, maxErrors).map((issue) => errorOf(issue, value)));
}

/** `['packages', 0, 'budget']` as `packages[0].budget`. */
function fieldPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += `${text === '' ? '' : '.'}${sanitizeKeyName(String(step))}`;
  }
  return text;
}

function errorOf(issue: z.core.$ZodIssue, value: JsonObject): TaskError {
  if (issue.code === 'unrecognized_keys') {
    const field = fieldPath([...issue.path, ...issue.keys.slice(0, 1)]);
    return shapeError(
      field,
      `${field} is nothing that is known here.`,
      'Leave it out, or look at its spelling.',
    );
  }
  const field = fieldPath(issue.path);
  const name = field === '' ? 'The arguments' : field;
  const given = valueAt(value, issue.path);
  if (given === undefined)
    return shapeError(field, `${name} is required.`, `Add ${name}: ${requirementOf(issue)}.`);
  return shapeError(
    field,
    `${name} is not ${requirementOf(issue)}.`,
    `Send ${requirementOf(issue)} as ${name}.`,
  );
}

function shapeError(field: string, message: string, suggestion: string): TaskError {
  // Any fault of the key is an invalid request: without a key, requests cannot be distinguished.
  const code = field === 'idempotency_key' ? 'INVALID_REQUEST' : 'VALIDATION_ERROR';
  return taskError(code, message, { ...(field === '' ? {} : { field }), suggestion });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let here = value;
  for (const step of path) {
    if (Array.isArray(here) && typeof step === 'number') here = here[step];
    else if (isJsonObject(here) && typeof step === 'string' && Object.hasOwn(here, step)) here = here[step];
    else return undefined;
  }
  return here;
}
