import { useEffect, useSyncExternalStore } from 'react';
import type { QueryClient } from '@tanstack/react-query';

type LiveState = 'connecting' | 'live' | 'off';

/** How long changes are gathered before their objects are read again, in milliseconds. */
const batchMs = 250;
/** The list of needs is read again at most this often because of changes, in milliseconds: it reads many lists. */
const needsEveryMs = 15_000;

/** How long to wait until the list of needs may be read again, in milliseconds. */
export const needsWait = (lastRead: number, now: number): number =>
  Math.max(0, lastRead + needsEveryMs - now);

/** How long to wait before reconnecting after an answer that ended the stream for good, in milliseconds. */
const reopenMs = 5_000;

/** A list of more pages is read again only on request: otherwise each batch of changes would read all pages. */
export const mostPagesRead = 10;

/** By kind of change: the nouns whose routes it affects. The first member of a query's key is such a noun. */
export const concerns: Readonly<Record<string, readonly string[]>> = {
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
  impairment: ['buys'],
  job: ['jobs'],
  key: ['keys'],
  media_buy: ['buys', 'campaigns'],
  notice: ['notices'],
  operation: ['buys', 'approvals'],
  outbox_event: ['outgoing-events'],
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

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The state of the stream of changes. */
export const useLiveState = (): LiveState => useSyncExternalStore(listen, () => state);

/** When an object of a noun last changed, in milliseconds since 1970. */
const changedAt = new Map<string, number>();

/** Whether an object of this noun has changed after that time, in milliseconds since 1970. */
export const useChangedSince = (noun: string, time: number): boolean =>
  useSyncExternalStore(listen, () => (changedAt.get(noun) ?? 0) > time);

/** Whether a list is read again automatically. */
export const isShort = ({ state: { data } }: { readonly state: { readonly data: unknown } }): boolean =>
  ((data as { readonly pages?: readonly unknown[] } | undefined)?.pages?.length ?? 0) <= mostPagesRead;

/** Follows `/v1/changes` while a person is signed in, and reads changed objects again, in batches. */
export function useLive(client: QueryClient, isSignedIn: boolean): void {
  useEffect(() => (isSignedIn ? follow(client) : undefined), [client, isSignedIn]);
}

function follow(client: QueryClient): () => void {
  const waiting = new Set<string>();
  let lastId = '';
  let source: EventSource | undefined;
  let batch: number | undefined;
  let again: number | undefined;
  let hasOpened = false;
  // Batches are read one after another: a read that is aborted by each new batch would never end.
  let isReading = false;
  let needs: number | undefined;
  let needsAt = 0;
  /** Any change may be one that somebody waits for. A page that nobody sees reads when it is seen. */
  const readNeedsSoon = (): void => {
    needs ??= window.setTimeout(
      () => {
        needs = undefined;
        needsAt = Date.now();
        void client.invalidateQueries({ queryKey: ['needs'] });
      },
      needsWait(needsAt, Date.now()),
    );
  };
  const flush = async (): Promise<void> => {
    batch = undefined;
    isReading = true;
    const nouns = new Set(waiting);
    waiting.clear();
    for (const noun of nouns) changedAt.set(noun, Date.now());
    for (const listener of listeners) listener();
    await client.invalidateQueries({
      predicate: (query) => nouns.has(String(query.queryKey[0])) && isShort(query),
    });
    isReading = false;
    readNeedsSoon();
    if (waiting.size > 0) wait();
  };
  const wait = (): void => {
    if (!isReading) batch ??= window.setTimeout(() => void flush(), batchMs);
  };
  const take = (event: MessageEvent<string>): void => {
    lastId = event.lastEventId;
    const { kind } = JSON.parse(event.data) as { kind: string };
    for (const noun of concerns[kind] ?? []) waiting.add(noun);
    wait();
  };
  const open = (): void => {
    source = new EventSource(`/v1/changes${lastId === '' ? '' : `?after=${encodeURIComponent(lastId)}`}`);
    source.addEventListener('open', () => {
      become('live');
      // The session may be another one now, of a sign-in in another tab.
      if (hasOpened) void client.refetchQueries({ queryKey: ['me'] });
      hasOpened = true;
    });
    source.addEventListener('change', take);
    source.addEventListener('ready', ({ lastEventId }) => (lastId = lastEventId));
    source.addEventListener('reset', ({ lastEventId }) => {
      lastId = lastEventId;
      void client.invalidateQueries();
    });
    source.addEventListener('error', () => {
      // The browser reopens a broken connection itself; an answer other than 200 ends the stream for good.
      if (source?.readyState !== EventSource.CLOSED) return become('connecting');
      become('off');
      // Asks for the sign-in if the session has ended: no other request may come for a long time.
      void client.refetchQueries({ queryKey: ['me'] });
      again = window.setTimeout(open, reopenMs);
    });
  };
  open();
  return () => {
    source?.close();
    window.clearTimeout(batch);
    window.clearTimeout(needs);
    window.clearTimeout(again);
  };
}
