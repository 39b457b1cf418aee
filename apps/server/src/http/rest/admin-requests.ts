import { err, ok, type JsonValue, type Result } from '@switchyard/values';
import type { z } from 'zod';
import type { DoorFault } from '../door-answer.js';

/** Checks a body against a schema; the first thing wrong with it is named by its path. */
export function readRequest<T>(schema: z.ZodType<T>, body: JsonValue): Result<T, DoorFault> {
  const read = schema.safeParse(body);
  if (read.success) return ok(read.data);
  const issue = read.error.issues[0];
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])];
  const field = path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${String(step)}` : String(step),
    '',
  );
  return err({
    code: 'VALIDATION_ERROR',
    message: issue?.message ?? 'The request is not of the right form.',
    ...(field ? { field } : {}),
    suggestion: 'The form of every request is in /openapi.json.',
  });
}
