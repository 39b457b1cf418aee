import type { JsonObject } from '@switchyard/values';
import type { Form } from '../versions/wire-profile.js';

/**
 * The one internal shape that every form is normalised to. It follows release 3.1 in meaning; names are ours.
 *
 * Amounts that take part in decisions are decimal text exactly as on the wire (never a float). `original` is the
 * peer's own object: where two peers speak the same form it is what travels on, patched, so that nothing unknown
 * to us is lost.
 */
export interface Original {
  /** `ours`: there is no peer's object behind it, so it is always written out from its typed members. */
  readonly form: Form | 'ours';
  readonly value: JsonObject;
}
