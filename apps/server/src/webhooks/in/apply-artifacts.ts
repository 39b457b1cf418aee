import {
  readContentBatch,
  thingKey,
  thingsIn,
  type ContentBatch,
  type OwnedThing,
} from '@switchyard/sellers';
import type { GovernanceCases, InboxMark, WaitingEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, isJsonObject, parseStrictJson } from '@switchyard/values';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import { openContentCase, ownerAt } from '../../sellers/index.js';

type ArtifactDeps = Pick<WorkerDeps, 'ports'> & { readonly governance: GovernanceCases };

/**
 * Makes a case of content beside which a buy of ours was delivered, so that the workers have it checked by the agent whose
 * content standards its packages name (docs/protocol/governance.md#content-beside-ads). Only the seller of that buy is
 * believed.
 */
export async function applyArtifacts(
  deps: ArtifactDeps,
  scope: TenantScope,
  event: WaitingEvent,
): Promise<InboxMark> {
  const { ports, governance } = deps;
  const quarantined = (reason: string): InboxMark => ({ id: event.id, state: 'quarantined', reason });
  const withoutEffect = (why = 'known_without_effect'): InboxMark => ({
    id: event.id,
    state: 'applied',
    reason: `${why}:artifacts`,
  });
  const parsed = parseStrictJson(event.body);
  const body = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value : {};
  const batch = readContentBatch(body);
  if (batch === undefined) return quarantined('unreadable_artifacts');
  const buy = await ports.store.sellerBuyOf(scope, event.connectionId, batch.mediaBuyId);
  if (buy === undefined) return quarantined('unknown_buy');
  const packages = await governance.withStandards(scope, buy.mediaBuyId, buy.seller);
  const named = packages.flatMap(({ targeting }) => thingsIn(targeting));
  const standards = new Map(
    named.filter(({ kind }) => kind === 'content_standards').map((thing) => [thingKey(thing), thing]),
  );
  const outcomes = new Set<'asked' | 'too_many' | 'nobody'>();
  for (const thing of standards.values()) outcomes.add(await open(deps, scope, event, { thing, batch, buy }));
  if (outcomes.has('asked')) return { id: event.id, state: 'applied' };
  return withoutEffect(outcomes.has('too_many') ? 'too_many_batches' : undefined);
}

/** Nobody: no live agent of governance has the address that the standards name. */
async function open(
  { ports, governance }: ArtifactDeps,
  scope: TenantScope,
  { id: eventId }: WaitingEvent,
  {
    thing: { subject, agentUrl },
    batch: { batchId, pushed },
    buy: { mediaBuyId, seller },
  }: {
    readonly thing: OwnedThing;
    readonly batch: ContentBatch;
    readonly buy: { readonly mediaBuyId: string; readonly seller: string };
  },
): Promise<'asked' | 'too_many' | 'nobody'> {
  const owner = await ownerAt(ports.connections, scope, agentUrl);
  if (owner === undefined) return 'nobody';
  const reason = `The seller ${seller} pushed content that is to be checked.`;
  return openContentCase(
    governance,
    scope,
    { subject, owner, eventId, seller, mediaBuyId, pushed, reason, ...defined({ batchId }) },
    ports.clock.now(),
  );
}
