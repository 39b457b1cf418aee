import type { JsonObject } from '@switchyard/values';
import type { SellerReply } from './task-spec.js';
import type { Voice } from './voice.js';

export interface A2aReply {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly state?: string;
}

export function readReply(
  _task: string,
  _payload: JsonObject,
  _isError: boolean,
  _from: Voice,
  _a2a?: A2aReply,
): SellerReply {
  throw new Error('not written yet');
}
