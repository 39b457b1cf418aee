import { brandNamed, draftSealed, placeDraft, type Offer, type OperationDraft } from '@switchyard/buys';
import type { ExactNumbers } from '@switchyard/protocol';
import type { Hold, SealedCall } from '@switchyard/relay';
import type { Connection } from '@switchyard/sellers';
import type { SealedCallIn } from '../tasks/ports/relay.js';
import { relayTimeoutMs } from './relay-timeout.js';
import type { RelayDeps } from './relay-deps.js';
import type { SealedSubject } from './sealed-subject.js';
import { boundCallbacks } from './standing-callback.js';

interface SealedChange {
  readonly connection: Connection;
  readonly sealed: SealedCall;
  readonly exact: ExactNumbers;
  readonly subject: SealedSubject | undefined;
  /** What the seller last quoted of the products that are named. */
  readonly offers: ReadonlyMap<string, Offer>;
  /** Our own domain; absent where nobody gave one. */
  readonly domain: string | undefined;
  /** The principal's standing address at this seller; absent where the connection has no key to make it with. */
  readonly callback: string | undefined;
  /** What it commits, as far as that is known. */
  readonly hold: Hold | undefined;
}

/** What a sealed mutation writes into our own books before it is passed on. */
export async function sealedDraft(
  deps: Pick<RelayDeps, 'clock' | 'ids' | 'callbackBase' | 'campaigns'>,
  { caller }: SealedCallIn,
  { connection, sealed, exact, subject, offers, domain, callback, hold }: SealedChange,
): Promise<OperationDraft> {
  const at = deps.clock.now();
  const bound =
    callback === undefined
      ? { registrations: () => [], findings: [] }
      : boundCallbacks(sealed, connection, `${deps.callbackBase()}/webhooks/${callback}`);
  const scope = { organizationId: caller.organizationId };
  const draft = draftSealed(deps.ids, {
    scope,
    principalId: caller.principalId,
    connection,
    task: sealed.spec.name,
    args: sealed.args,
    exact,
    offers,
    buyer: { brandDomain: caller.brandDomain ?? '', operator: domain ?? '' },
    at,
    // Past the longest call: nobody looks while the answer may still come by.
    dueAt: at + relayTimeoutMs + 30_000,
    ...bound,
    ...(hold === undefined ? {} : { commits: hold }),
    ...(subject === undefined ? {} : { changes: subject }),
  });
  const brand = caller.brandDomain === undefined ? undefined : brandNamed(caller.brandDomain, undefined);
  const placed = await placeDraft(deps, { scope, brand, isSealed: true }, draft);
  if (!placed.ok) return draft;
  const [leg, ...others] = placed.value.draft.legs;
  if (leg === undefined || placed.value.findings.length === 0) return placed.value.draft;
  const legs = [{ ...leg, findings: [...leg.findings, ...placed.value.findings] }, ...others];
  return { ...placed.value.draft, legs };
}
