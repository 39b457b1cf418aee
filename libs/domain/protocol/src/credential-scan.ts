import type { JsonValue } from '@switchyard/values';
import type { TaskError } from './model.js';

/** The path of the first credential-like key, for example `context.creds[0].api_key`, or `undefined`. */
export function findCredential(_taskName: string, _args: JsonValue): string | undefined {
  throw new Error('not written yet');
}

/** The error for it, which names the path and nothing else. */
export function credentialInArgs(_taskName: string, _args: JsonValue): TaskError | undefined {
  throw new Error('not written yet');
}
