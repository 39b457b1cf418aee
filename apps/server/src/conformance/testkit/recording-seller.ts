import type { Form, Dialect } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';

/** One call as a seller received it, before any code of ours reads it. */
export interface Received {
  readonly seller: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Members beside the arguments that the wire defines: the configuration of an A2A call. */
  readonly beside?: JsonObject;
}

export interface RecordingSeller {
  readonly slug: string;
  readonly form: Form;
  readonly dialect: Dialect;
}

/** Returns a seller's answer to a call, or that it never answers; undefined for a tool that it does not have. */
export type Script = (
  seller: RecordingSeller,
  tool: string,
  args: JsonObject,
) => JsonObject | 'never' | undefined;
/** One call at a recording seller, without the envelope of its wire. */
export interface ReceivedCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly beside?: JsonObject;
}
