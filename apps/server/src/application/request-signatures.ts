import type { ReceivedMessage } from '@switchyard/signing';
import type { Result } from '@switchyard/values';
import type { PrincipalCaller } from './task-call.js';

/** Who signed a request, once its signature has verified. */
export interface RequestSignerFound {
  readonly principal: Omit<PrincipalCaller, 'signedBy'>;
  readonly signedBy: NonNullable<PrincipalCaller['signedBy']>;
}

/** Verifies the signatures of requests to us. */
export interface RequestSignatures {
  /**
   * The principal whose registered agent signed the message, or the code of the first step that failed. `claimed` is
   * who another credential of the same request says it is: only that principal's agents are looked at.
   */
  verify(message: ReceivedMessage, claimed?: string): Promise<Result<RequestSignerFound, string>>;
}
