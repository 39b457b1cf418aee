import type { Connection } from '@switchyard/sellers';
import type { Leg } from '../model/operation.js';
import type { OperationDraft } from '../model/operation-store.js';
import type { RegistrationDraft } from '../model/registration-draft.js';

export type Frozen = Pick<Leg, 'profile' | 'outbound' | 'findings' | 'errors'>;

/** A leg frozen a second time. `instead`: the findings of the first time, which no longer apply. */
export interface ReencodedLeg extends Frozen {
  readonly instead: Leg['findings'];
  /** Addresses that the first encoding did not contain. */
  readonly registrations?: readonly RegistrationDraft[];
}

/**
 * Encodes a leg again for a seller whose version changed, under a key that it has never seen. Undefined where
 * the plan cannot be expressed in the new version. `round`: 2 for the second encoding, and so on. `isBare`: without
 * addresses of ours.
 */
export type Reencode = (
  connection: Connection,
  leg: Pick<Leg, 'id' | 'outbound'>,
  how?: { readonly round?: number; readonly isBare?: boolean },
) => ReencodedLeg | undefined;

/** The finding on a leg that was sent without addresses of ours, because its seller refused them. */
export const withoutWebhook = 'SENT_WITHOUT_WEBHOOK';

/** By the id of the leg. */
export type Refreezes = ReadonlyMap<string, Reencode>;

/** The draft of an operation, and the functions that encode its legs again, which exist only in this process. */
export interface Drafted extends OperationDraft {
  readonly again: Refreezes;
}

export function refreezesOf(
  drafts: readonly { readonly leg: Pick<Leg, 'id'>; readonly again: Reencode }[],
): Refreezes {
  return new Map(drafts.map(({ leg, again }) => [leg.id, again]));
}
