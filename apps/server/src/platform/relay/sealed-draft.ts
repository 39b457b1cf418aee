import { draftSealed, type LegSecrets, type OperationDraft } from '@switchyard/buys';
import type { ExactNumbers } from '@switchyard/protocol';
import type { SealedCall } from '@switchyard/relay';
import type { Connection } from '@switchyard/sellers';
import type { SealedCallIn } from '../../application/relay.js';
import { relayTimeoutMs } from './relay-timeout.js';
import type { RelayParts } from './relay-parts.js';
import { productsUnder } from './sealed-hold.js';
import type { SealedSubject } from './sealed-subject.js';
import { boundCallbacks, standingAddress } from './standing-callback.js';

interface SealedChange {
  readonly connection: Connection;
  readonly sealed: SealedCall;
  readonly exact: ExactNumbers;
  readonly subject: SealedSubject | undefined;
  readonly secrets: LegSecrets;
}

/** What a sealed mutation writes into our own books before it is passed on. */
export async function sealedDraft(
  parts: RelayParts,
  { caller }: SealedCallIn,
  { connection, sealed, exact, subject, secrets }: SealedChange,
): Promise<OperationDraft> {
  const scope = { organizationId: caller.organizationId };
  const products = productsUnder(sealed.args).map((id) => `${connection.slug}:${id}`);
  const at = parts.clock.now();
  const bound =
    secrets.keySecret === undefined
      ? { registrations: () => [], findings: [] }
      : boundCallbacks(
          sealed,
          connection,
          `${parts.callbackBase()}/webhooks/${standingAddress(secrets.keySecret, caller.principalId)}`,
        );
  return draftSealed(parts.ids, {
    scope,
    principalId: caller.principalId,
    connection,
    task: sealed.spec.name,
    args: sealed.args,
    exact,
    offers: products.length === 0 ? new Map() : await parts.store.offers(scope, products),
    buyer: {
      brandDomain: caller.brandDomain ?? '',
      operator: (await parts.domainOf(scope)) ?? 'localhost',
    },
    at,
    // Past the longest call: nobody looks while the answer may still come by.
    dueAt: at + relayTimeoutMs + 30_000,
    ...bound,
    ...(subject === undefined ? {} : { changes: subject }),
  });
}
