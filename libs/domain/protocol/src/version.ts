import type { JsonObject, JsonValue, Result } from '@switchyard/values';
import type { Capabilities, TaskError } from './model.js';
import type { CallerVersion } from './task-spec.js';
import type { Dialect, Form } from './voice.js';

/** Releases that can be named in a version field. `service` and 2.5 are known by their shapes. */
export const supportedVersions = ['3.0', '3.1'] as const;

export interface CallToRead {
  readonly taskName: string;
  readonly args: JsonValue;
  /** Of a registered signer: wins over all else (ruling 1). */
  readonly signerDialect?: Dialect;
}

export function readVoice(_call: CallToRead): Result<CallerVersion, readonly TaskError[]> {
  throw new Error('not written yet');
}

export function sellerFormOf(
  _capabilities: JsonObject | Capabilities | undefined,
  _configured: 'auto' | Form,
  _dialect: Dialect,
): Form {
  throw new Error('not written yet');
}
