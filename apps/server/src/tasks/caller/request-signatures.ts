import type { ReceivedMessage } from '@switchyard/signing';
import type { Result } from '@switchyard/values';
import type { PrincipalCaller } from '../task-call.js';

/** Who signed a request, once its signature has verified. */
export interface RequestSignerFound {
  readonly principal: Omit<PrincipalCaller, 'signedBy'>;
  readonly signedBy: NonNullable<PrincipalCaller['signedBy']>;
}

/** Who another credential of the same request says that it is. */
export type ClaimedBy = Pick<PrincipalCaller, 'principalId' | 'organizationId' | 'name'> & {
  /** It is a token or a password that we made: that proves what comes beside it. */
  readonly byToken?: boolean;
};

/** Verifies the signatures of requests to us. */
export interface RequestSignatures {
  /**
   * The principal whose registered agent signed the message, or the code of the first step that failed; why it failed
   * is kept for people. `claimed` narrows the search: only that principal's agents are looked at.
   */
  verify(message: ReceivedMessage, claimed?: ClaimedBy): Promise<Result<RequestSignerFound, string>>;
}
