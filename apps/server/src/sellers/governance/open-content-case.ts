import type { Connection } from '@switchyard/sellers';
import type { GovernanceCases } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { caseIdOf } from './case-id.js';

/** How long it is tried to have a batch checked, in milliseconds. */
const checkedWithinMs = 24 * 60 * 60_000;
/** Batches that one agent checks by the same standards in an hour; more are stored and not checked. */
const mostBatches = 200;
const hourMs = 60 * 60_000;

/** Content beside which a buy was delivered, and the standards that it is to be checked by. */
interface ContentToCheck {
  /** Id of the standards at their agent. */
  readonly subject: string;
  readonly owner: Connection;
  /** UUID of the event or of the pulled answer that has the content. */
  readonly eventId: string;
  readonly seller: string;
  readonly mediaBuyId: string;
  readonly batchId?: string;
  /** How many contents the seller has. */
  readonly pushed: number;
  readonly reason: string;
}

/** Makes the case that the workers have checked (docs/protocol/governance.md#content-beside-ads). */
export async function openContentCase(
  governance: Pick<GovernanceCases, 'open' | 'askedAbout'>,
  scope: TenantScope,
  { subject, owner, eventId, seller, mediaBuyId, batchId, pushed, reason }: ContentToCheck,
  now: Instant,
): Promise<'asked' | 'too_many'> {
  const kind = 'content_checked';
  const about = { kind, subject, connectionId: owner.id } as const;
  if ((await governance.askedAbout(scope, about, now - hourMs)).cases >= mostBatches) return 'too_many';
  const id = caseIdOf(scope, [kind, eventId, subject, owner.agentUrl]);
  await governance.open(
    scope,
    {
      ...{ id, kind, eventId: id, rightsId: subject, uses: [], connectionId: owner.id, owner: owner.slug },
      state: 'open',
      reason,
      effectiveAt: now + checkedWithinMs,
      changes: {
        batch: {
          ...{ event_id: eventId, seller, media_buy_id: mediaBuyId, pushed },
          ...(batchId !== undefined && { batch_id: batchId }),
        },
      },
      actAt: now,
    },
    now,
  );
  return 'asked';
}
