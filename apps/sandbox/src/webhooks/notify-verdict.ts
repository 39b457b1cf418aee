import { randomUUID } from 'node:crypto';
import type { Agent } from '../agent/agent.js';
import { compact } from '../json.js';
import type { LibraryCreative, NotifiedAddress } from '../creatives/library-creative.js';
import type { OutEvent } from './out-event.js';

/** How long after its verdict a creative is purged whose name requests it, in milliseconds before scaling. */
const purgeAfterMs = 1_000;

/**
 * Moves a creative through this seller's own decisions, and notifies its registered address: the verdict of a review,
 * and the purge that the word `purge` in its name requests. Resumable: the books store the state.
 */
export function notifyVerdict(agent: Agent, creative: LibraryCreative): void {
  const next = nextOf(agent, creative);
  if (next === undefined) return;
  agent.agenda.at(next.at, () => {
    if (agent.books.creatives.get(creative.creativeId) !== creative) return;
    const moved = { ...creative, status: next.status, updatedAt: agent.now() };
    const events = next.status === 'archived' ? purged(agent, moved) : decided(agent, creative, moved);
    agent.books.write({ creatives: [moved], events });
    for (const event of events) agent.outbox.send(event);
    notifyVerdict(agent, moved);
  });
}

/** Only a webhook needs a timer: without a registered address, a verdict is valid from its own time. */
function nextOf(
  agent: Agent,
  { status, verdict, notify, accountId, name, updatedAt }: LibraryCreative,
): { readonly at: number; readonly status: LibraryCreative['status'] } | undefined {
  if (notify === undefined && accountId === undefined) return undefined;
  if (status === 'pending_review' && verdict !== undefined) return { at: verdict.at, status: verdict.status };
  if (status !== 'approved' || !/purge/i.test(name)) return undefined;
  return { at: updatedAt + purgeAfterMs * agent.scale, status: 'archived' };
}

/** The webhooks about a forced state, one for each address. */
export function statusUpdate(
  agent: Agent,
  before: LibraryCreative,
  after: LibraryCreative,
): readonly OutEvent[] {
  return updatesOf(agent, before, 'creative.status_changed', (now) => ({
    transition: { from: before.status, to: after.status, observed_at: now },
    reason_code: after.status === 'rejected' ? turnedDown(before) : reasons[after.status],
    reason_detail: after.verdict?.reason,
  }));
}

const reasons: Readonly<Record<Exclude<LibraryCreative['status'], 'rejected'>, string>> = {
  processing: 'seller_rereview',
  pending_review: 'seller_rereview',
  approved: 'review_passed',
  suspended: 'content_drift',
  archived: 'seller_archive',
};

const turnedDown = ({ status }: LibraryCreative): string =>
  status === 'approved' || status === 'suspended' ? 'policy_revocation' : 'review_failure';

function decided(agent: Agent, before: LibraryCreative, { status }: LibraryCreative): readonly OutEvent[] {
  return updatesOf(agent, before, 'creative.status_changed', (now) => ({
    transition: { from: before.status, to: status, observed_at: now },
    reason_code: status === 'rejected' ? 'review_failure' : 'review_passed',
    reason_detail: before.verdict?.reason,
  }));
}

export function purged(agent: Agent, creative: LibraryCreative): readonly OutEvent[] {
  return updatesOf(agent, creative, 'creative.purged', (now) => ({
    purge_kind: 'soft',
    purged_at: now,
    reason_code: 'retention_expired',
  }));
}

/** The addresses that are told of an event of a creative: its own, and the subscribers of its account. */
function addressesOf(
  agent: Agent,
  { notify, accountId }: LibraryCreative,
  type: string,
): readonly NotifiedAddress[] {
  const account = accountId === undefined ? undefined : agent.books.accounts.get(accountId);
  const subscribers = (account?.subscribers ?? []).filter(
    ({ active, proved, eventTypes }) => active && proved && eventTypes.includes(type),
  );
  return [
    ...(notify === undefined ? [] : [notify]),
    ...subscribers.map(({ url, subscriberId }) => ({ url, subscriberId, accountId: accountId ?? '' })),
  ];
}

/** Builds webhooks of release 3.1 that will not change: bare, each with its own key and without an envelope. */
function updatesOf(
  agent: Agent,
  creative: LibraryCreative,
  notificationType: string,
  members: (now: string) => Parameters<typeof compact>[0],
): readonly OutEvent[] {
  const createdAt = agent.now();
  const now = new Date(createdAt).toISOString();
  const { creativeId } = creative;
  const notificationId = randomUUID();
  return addressesOf(agent, creative, notificationType).map(({ url, subscriberId, accountId }) => {
    const key = randomUUID();
    const body = compact({
      idempotency_key: key,
      notification_id: notificationId,
      notification_type: notificationType,
      fired_at: now,
      subscriber_id: subscriberId,
      account_id: accountId,
      creative_id: creativeId,
      ...members(now),
      initiator: 'seller',
    });
    return {
      key,
      stream: `creative ${creativeId} ${subscriberId}`,
      url,
      contentType: 'application/json',
      body: JSON.stringify(body),
      createdAt,
      notificationType,
    };
  });
}
