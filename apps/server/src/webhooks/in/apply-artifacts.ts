import {
  readContentBatch,
  thingKey,
  thingsIn,
  type ContentBatch,
  type OwnedThing,
} from '@switchyard/sellers';
import type { GovernanceCases, InboxMark, WaitingEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, parseStrictJson } from '@switchyard/values';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import { caseIdOf, ownerAt } from '../../sellers/index.js';

/** How long it is tried to have a batch checked, in milliseconds. */
const checkedWithinMs = 24 * 60 * 60_000;
/** Batches that one agent checks by the same standards in an hour; more are stored and not checked. */
const mostBatches = 200;
const hourMs = 60 * 60_000;
/** Standards that the packages of one buy at one seller name. */
const mostStandards = 20;

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
  for (const thing of [...standards.values()].slice(0, mostStandards))
    outcomes.add(await open(deps, scope, event, { thing, batch, buy }));
  if (outcomes.has('asked')) return { id: event.id, state: 'applied' };
  return withoutEffect(outcomes.has('too_many') ? 'too_many_batches' : undefined);
}

/** Nobody: no live agent of governance has the address that the standards name. */
async function open(
  { ports, governance }: ArtifactDeps,
  scope: TenantScope,
  event: WaitingEvent,
  {
    thing: { subject, agentUrl },
    batch,
    buy,
  }: {
    readonly thing: OwnedThing;
    readonly batch: ContentBatch;
    readonly buy: { readonly mediaBuyId: string; readonly seller: string };
  },
): Promise<'asked' | 'too_many' | 'nobody'> {
  const owner = await ownerAt(ports.connections, scope, agentUrl);
  if (owner === undefined) return 'nobody';
  const now = ports.clock.now();
  const kind = 'content_checked';
  const about = { kind, subject, connectionId: owner.id } as const;
  if ((await governance.askedAbout(scope, about, now - hourMs)).cases >= mostBatches) return 'too_many';
  const id = caseIdOf(scope, [kind, event.id, subject, agentUrl]);
  await governance.open(
    scope,
    {
      ...{ id, kind, eventId: id, rightsId: subject, uses: [], connectionId: owner.id, owner: owner.slug },
      state: 'open',
      reason: `The seller ${buy.seller} pushed content that is to be checked.`,
      effectiveAt: now + checkedWithinMs,
      changes: {
        batch: {
          event_id: event.id,
          seller: buy.seller,
          media_buy_id: buy.mediaBuyId,
          ...(batch.batchId !== undefined && { batch_id: batch.batchId }),
          pushed: batch.pushed,
        },
      },
      actAt: now,
    },
    now,
  );
  return 'asked';
}
