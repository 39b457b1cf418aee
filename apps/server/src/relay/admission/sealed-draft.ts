import { brandNamed, draftSealed, placeDraft, type Offer, type OperationDraft } from '@switchyard/buys';
import type { ExactNumbers } from '@switchyard/protocol';
import type { Hold, SealedCall } from '@switchyard/relay';
import type { Connection } from '@switchyard/sellers';
import type { SealedCallIn } from '../relay.js';
import { relayTimeoutMs, type RelayDeps } from '../relay-deps.js';
import type { SealedSubject } from './sealed-subject.js';
import { boundCallbacks } from '../standing-callback.js';

interface SealedChange {
  readonly connection: Connection;
  readonly sealed: SealedCall;
  readonly exact: ExactNumbers;
  readonly subject: SealedSubject | undefined;
  /** The seller's last quotes for the named products. */
  readonly offers: ReadonlyMap<string, Offer>;
  /** Our own domain; absent if none is set. */
  readonly domain: string | undefined;
  /** The principal's standing address at this seller; absent if the connection has no key to make it with. */
  readonly callback: string | undefined;
  /** The amount that it commits, if known. */
  readonly hold: Hold | undefined;
}

/** What a sealed mutation stores before it is forwarded, and whether the brand of a new buy is entered. */
export async function sealedDraft(
  deps: Pick<RelayDeps, 'clock' | 'ids' | 'callbackBase' | 'campaigns'>,
  { caller }: SealedCallIn,
  { connection, sealed, exact, subject, offers, domain, callback, hold }: SealedChange,
): Promise<{ readonly draft: OperationDraft; readonly isEntered?: boolean }> {
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
    // Later than the longest call: nothing polls while the answer may still arrive.
    dueAt: at + relayTimeoutMs + 30_000,
    ...bound,
    ...(hold === undefined ? {} : { commits: hold }),
    ...(subject === undefined ? {} : { changes: subject }),
  });
  const brand = caller.brandDomain === undefined ? undefined : brandNamed(caller.brandDomain, undefined);
  const placed = await placeDraft(deps, { scope, brand, isSealed: true }, draft);
  if (!placed.ok) return { draft };
  const { findings, ...known } = placed.value;
  const [leg, ...others] = known.draft.legs;
  if (leg === undefined || findings.length === 0) return known;
  const legs = [{ ...leg, findings: [...leg.findings, ...findings] }, ...others];
  return { ...known, draft: { ...known.draft, legs } };
}
