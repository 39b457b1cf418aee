import type { ReceivedMessage } from '@switchyard/signing';
import type { Result } from '@switchyard/values';
import type { PrincipalCaller } from '../tasks/call/task-call.js';

/** The signer of a verified request. */
export interface RequestSignerFound {
  readonly principal: Omit<PrincipalCaller, 'signedBy'>;
  readonly signedBy: NonNullable<PrincipalCaller['signedBy']>;
}

/** The principal of another credential of the same request. */
export type ClaimedBy = Pick<PrincipalCaller, 'principalId' | 'organizationId' | 'name'> & {
  /** It is a token or a password of ours, which proves the key beside it. */
  readonly byToken?: boolean;
};

/** Verifies the signatures of requests to us. */
export interface RequestSignatures {
  /**
   * The principal whose registered agent signed the message, or the code of the first failed step; the reason is stored
   * for people. With `claimed`, only that principal's agents are searched.
   */
  verify(message: ReceivedMessage, claimed?: ClaimedBy): Promise<Result<RequestSignerFound, string>>;
}
