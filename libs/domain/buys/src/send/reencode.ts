import type { Connection } from '@switchyard/sellers';
import type { Leg } from '../model/operation.js';
import type { OperationDraft, RegistrationDraft } from '../model/operation-store.js';

/** What is frozen of a leg before it is sent. */
export type Frozen = Pick<Leg, 'profile' | 'outbound' | 'findings' | 'errors'>;

/** A leg frozen a second time. `instead` are the findings of the first time, which no longer hold. */
export interface ReencodedLeg extends Frozen {
  readonly instead: Leg['findings'];
  /** Addresses that the first time did not name. */
  readonly registrations?: readonly RegistrationDraft[];
}

/**
 * Freezes a leg anew for a seller that is known otherwise now, under a key that it has never seen. Nothing where what was
 * planned cannot be said to it as it is now.
 */
export type Reencode = (
  connection: Connection,
  leg: Pick<Leg, 'id' | 'outbound'>,
) => ReencodedLeg | undefined;

/** By the id of the leg. */
export type Refreezes = ReadonlyMap<string, Reencode>;

/** What is stored of an operation, and how its legs are written anew; the latter lives as long as the process. */
export interface Drafted extends OperationDraft {
  readonly again: Refreezes;
}

export function refreezesOf(
  drafts: readonly { readonly leg: Pick<Leg, 'id'>; readonly again: Reencode }[],
): Refreezes {
  return new Map(drafts.map(({ leg, again }) => [leg.id, again]));
}
