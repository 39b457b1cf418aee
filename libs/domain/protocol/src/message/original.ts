import type { JsonObject } from '@switchyard/values';
import type { Form } from '../versions/wire-profile.js';

/**
 * The peer's own object, beside the internal shape of every form, which follows release 3.1.
 *
 * Amounts that decisions use are decimal text exactly as on the wire (never a float). Between two peers of the same
 * form the original is sent on, patched, so that unknown members are not lost.
 */
export interface Original {
  /** `ours`: there is no peer's object, so the item is always written from its typed members. */
  readonly form: Form | 'ours';
  readonly value: JsonObject;
}
