import { useEffect, useSyncExternalStore } from 'react';
import type { QueryClient } from '@tanstack/react-query';

export type LiveState = 'connecting' | 'live' | 'off';

/** How long changes are gathered before what they concern is read again, in milliseconds. */
const batchMs = 250;
/** Before coming again after an answer that ended the stream for good, in milliseconds. */
const reopenMs = 5_000;

/** The first member of a query's key is the noun of its route; these are the nouns that a change of a kind concerns. */
const concerns: Readonly<Record<string, readonly string[]>> = {
  account: ['accounts'],
  alarm: ['alarms'],
  approval: ['approvals', 'buys'],
  brand: ['brands'],
  campaign: ['campaigns', 'buys'],
  client: ['clients'],
  creative: ['creatives', 'buys'],
  credential: ['credentials', 'sellers'],
  delegation: ['delegations', 'custody'],
  delivery: ['buys', 'delivery', 'ledger', 'breaks'],
  event: ['events'],
  grant: ['grants', 'me', 'teams'],
  impairment: ['buys', 'impairments'],
  key: ['keys'],
  media_buy: ['buys', 'campaigns'],
  operation: ['buys', 'approvals', 'operations'],
  outbox_event: ['outbox'],
  principal: ['principals'],
  role: ['roles', 'me'],
  seller: ['sellers'],
  team: ['teams', 'grants', 'me'],
};

let state: LiveState = 'connecting';
const listeners = new Set<() => void>();
function become(next: LiveState): void {
  state = next;
  for (const listener of listeners) listener();
}

/** Whether changes arrive by themselves now. */
export const useLiveState = (): LiveState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );

/** Follows `/v1/changes` while somebody is signed in, and has what changed read again, in batches. */
export function useLive(client: QueryClient, isSignedIn: boolean): void {
  useEffect(() => (isSignedIn ? follow(client) : undefined), [client, isSignedIn]);
}

function follow(client: QueryClient): () => void {
  const waiting = new Set<string>();
  let lastId = '';
  let source: EventSource | undefined;
  let batch: number | undefined;
  let again: number | undefined;
  const flush = (): void => {
    batch = undefined;
    const nouns = new Set(waiting);
    waiting.clear();
    void client.invalidateQueries({ predicate: ({ queryKey }) => nouns.has(String(queryKey[0])) });
  };
  const take = (event: MessageEvent<string>): void => {
    lastId = event.lastEventId;
    const { kind } = JSON.parse(event.data) as { kind: string };
    for (const noun of concerns[kind] ?? []) waiting.add(noun);
    batch ??= window.setTimeout(flush, batchMs);
  };
  const open = (): void => {
    source = new EventSource(`/v1/changes${lastId === '' ? '' : `?after=${encodeURIComponent(lastId)}`}`);
    source.addEventListener('open', () => become('live'));
    source.addEventListener('change', take);
    source.addEventListener('ready', ({ lastEventId }) => (lastId = lastEventId));
    source.addEventListener('reset', ({ lastEventId }) => {
      lastId = lastEventId;
      void client.invalidateQueries();
    });
    source.addEventListener('error', () => {
      become('off');
      // A broken connection is opened again by the browser; an answer other than 200 ends the stream for good.
      if (source?.readyState === EventSource.CLOSED) again = window.setTimeout(open, reopenMs);
    });
  };
  open();
  return () => {
    source?.close();
    window.clearTimeout(batch);
    window.clearTimeout(again);
  };
}
