import {
  comparePlaces,
  type Change,
  type ChangeFilter,
  type ChangeLog,
  type ChangePage,
  type ChangePlace,
} from '@switchyard/store';
import { isInReach } from '@switchyard/tenancy';
import { err, ok, type Clock, type Instant, type Result } from '@switchyard/values';
import type { PrincipalCaller } from '../tasks/call/task-call.js';

/** How often the database is queried while there are streams, in milliseconds. Without streams: never. */
const pollMs = 250;
/** After a failure of the database, in milliseconds. */
const pauseMs = 2_000;
/** How often a stream sends its place and its credential is checked again, in milliseconds. */
const beatMs = 15_000;
/** The longest life of a stream, in milliseconds: its client reconnects and authenticates again. */
const longestMs = 10 * 60_000;
/** The most bytes that a client may leave unread before its stream ends. */
const mostUnread = 1024 * 1024;

/** The output of one stream. */
export interface ChangeSink {
  /** The first event of a stream that begins now. */
  readonly ready: (place: ChangePlace) => void;
  /** Changes were missed: the client must read everything again. */
  readonly reset: (place: ChangePlace) => void;
  readonly change: (change: Change) => void;
  /** Nothing happened up to this place. */
  readonly beat: (place: ChangePlace) => void;
  /** Bytes that the client has not read yet. */
  readonly unread: () => number;
  /** Resolves once the client has read what was sent, or has disconnected. */
  readonly drained: () => Promise<void>;
  readonly end: () => void;
}

interface ChangeRequest {
  readonly caller: PrincipalCaller;
  readonly filters: readonly ChangeFilter[];
  /** Whether the credential of the stream is still valid. */
  readonly stillHolds: () => Promise<boolean>;
  /** Where an earlier stream ended; if absent, the stream starts now. */
  readonly after?: ChangePlace;
}

interface StreamRefusal {
  readonly code: 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE';
  readonly message: string;
}

interface ChangeStreamsDeps {
  readonly log: ChangeLog;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
  /** The most streams of this process. */
  readonly most: number;
  readonly mostPerPrincipal: number;
}

interface Stream extends ChangeRequest {
  readonly sink: ChangeSink;
  readonly openedAt: Instant;
  place: ChangePlace;
  isEnded: boolean;
}

/** The streams of one organization that have caught up, and the place up to which they got changes. */
interface Audience {
  place: ChangePlace;
  readonly streams: Set<Stream>;
}

/**
 * All change streams of this process. A stream first reads alone what it has missed. Then it joins the streams of its
 * organization: one statement reads the new changes for all of them, and for all organizations.
 */
export class ChangeStreams {
  readonly #streams = new Set<Stream>();
  readonly #audiences = new Map<string, Audience>();
  #isClosed = false;
  #isPolling = false;
  #cancelBeat: (() => void) | undefined;

  constructor(private readonly deps: ChangeStreamsDeps) {}

  /** Opens a stream into a sink. Answers a function that ends the stream, for a client that has disconnected. */
  open(request: ChangeRequest, sink: ChangeSink): Result<() => void, StreamRefusal> {
    const { clock, most, mostPerPrincipal } = this.deps;
    if (this.#isClosed) return err(stopping);
    const own = [...this.#streams].filter(({ caller }) => caller.principalId === request.caller.principalId);
    if (own.length >= mostPerPrincipal) return err(tooMany);
    if (this.#streams.size >= most || this.#isHeldBack(request.caller)) return err(full);
    const place = request.after ?? { tx: 0n, id: 0n };
    const stream: Stream = { ...request, sink, place, openedAt: clock.now(), isEnded: false };
    this.#streams.add(stream);
    this.#cancelBeat ??= clock.after(beatMs, () => void this.#beat());
    void this.#catchUp(stream).catch((error: unknown) => {
      if (!hasEnded(stream)) this.deps.onUnexpected(error, 'reading changes');
      this.#end(stream);
    });
    return ok(() => this.#end(stream));
  }

  /** The last quarter of the places is for organizations that hold fewer than that, so that one cannot take them all. */
  #isHeldBack({ organizationId }: PrincipalCaller): boolean {
    const heldBack = Math.floor(this.deps.most / 4);
    if (this.#streams.size < this.deps.most - heldBack) return false;
    const held = [...this.#streams].filter(({ caller }) => caller.organizationId === organizationId);
    return held.length > heldBack;
  }

  /** Ends every stream. The clients continue from their place at another process. */
  close(): void {
    this.#isClosed = true;
    this.#cancelBeat?.();
    for (const stream of [...this.#streams]) this.#end(stream);
  }

  async #catchUp(stream: Stream): Promise<void> {
    const { log } = this.deps;
    const openedAt = await log.now();
    if (stream.after === undefined) {
      stream.place = openedAt;
      if (!hasEnded(stream)) stream.sink.ready(stream.place);
    }
    const filters = [...stream.filters, ...accessOf(stream.caller)];
    while (!hasEnded(stream)) {
      const page = await log.after(stream.caller, stream.place, filters);
      if (page === 'gone') {
        stream.place = await log.now();
        if (!hasEnded(stream)) stream.sink.reset(stream.place);
        continue;
      }
      if (!hasEnded(stream)) sendChanges(stream, page);
      const later = page.changes.filter(({ place }) => comparePlaces(place, openedAt) > 0);
      if (later.some((change) => changesAccess(change, stream.caller))) this.#end(stream);
      if (!page.hasMore && this.#join(stream)) return;
      await stream.sink.drained();
    }
  }

  /** False if the other streams are ahead: this one reads the missing changes first. */
  #join(stream: Stream): boolean {
    if (hasEnded(stream)) return true;
    const { organizationId } = stream.caller;
    const audience = this.#audiences.get(organizationId) ?? { place: stream.place, streams: new Set() };
    if (comparePlaces(audience.place, stream.place) > 0) return false;
    audience.streams.add(stream);
    this.#audiences.set(organizationId, audience);
    this.#poll(pollMs);
    return true;
  }

  #poll(afterMs: number): void {
    if (this.#isPolling || this.#audiences.size === 0) return;
    this.#isPolling = true;
    this.deps.clock.after(afterMs, () => {
      const polled = this.#audiences.size === 0 ? Promise.resolve(pollMs) : this.#readNew();
      void polled
        .catch((error: unknown) => {
          if (!this.#isClosed) this.deps.onUnexpected(error, 'reading changes');
          return pauseMs;
        })
        .then((nextMs) => {
          this.#isPolling = false;
          this.#poll(nextMs);
        });
    });
  }

  /** Answers the time until the next read, in milliseconds. */
  async #readNew(): Promise<number> {
    const places = new Map([...this.#audiences].map(([id, { place }]) => [id, place]));
    const pages = await this.deps.log.since(places);
    let hasMore = false;
    for (const [organizationId, page] of pages) {
      const audience = this.#audiences.get(organizationId);
      if (audience === undefined) continue;
      audience.place = page.end;
      hasMore ||= page.hasMore;
      for (const stream of [...audience.streams]) {
        const missing = page.changes.filter(({ place }) => comparePlaces(place, stream.place) > 0);
        sendChanges(stream, { changes: missing, end: page.end });
        if (missing.some((change) => changesAccess(change, stream.caller))) this.#end(stream);
        else if (stream.sink.unread() > mostUnread) this.#end(stream);
      }
    }
    return hasMore ? 0 : pollMs;
  }

  async #beat(): Promise<void> {
    const now = this.deps.clock.now();
    for (const stream of [...this.#streams]) {
      if (now - stream.openedAt >= longestMs) this.#end(stream);
      else stream.sink.beat(stream.place);
    }
    await this.#judge().catch((error: unknown) => {
      if (!this.#isClosed) this.deps.onUnexpected(error, 'judging the credentials of streams');
    });
    const isOver = this.#isClosed || this.#streams.size === 0;
    this.#cancelBeat = isOver ? undefined : this.deps.clock.after(beatMs, () => void this.#beat());
  }

  /** One after another, because each check queries the database; a check that fails is repeated at the next beat. */
  async #judge(): Promise<void> {
    for (const stream of [...this.#streams])
      if (!hasEnded(stream) && !(await stream.stillHolds())) this.#end(stream);
  }

  #end(stream: Stream): void {
    if (stream.isEnded) return;
    stream.isEnded = true;
    this.#streams.delete(stream);
    const { organizationId } = stream.caller;
    const audience = this.#audiences.get(organizationId);
    audience?.streams.delete(stream);
    if (audience?.streams.size === 0) this.#audiences.delete(organizationId);
    stream.sink.end();
  }
}

/** Checked again after each wait, because the client may have disconnected. */
function hasEnded({ isEnded }: Stream): boolean {
  return isEnded;
}

function sendChanges(stream: Stream, { changes, end }: Pick<ChangePage, 'changes' | 'end'>): void {
  const seen = changes.filter((change) => isSeen(change, stream.filters));
  for (const change of withoutRepeats(seen)) stream.sink.change(change);
  if (comparePlaces(end, stream.place) > 0) stream.place = end;
}

/** Changes of one object in one transaction become one change: the last one, or its creation. */
function withoutRepeats(changes: readonly Change[]): readonly Change[] {
  const last = new Map<string, Change>();
  for (const change of changes) {
    const { place, kind, objectId, action } = change;
    const key = `${place.tx} ${kind} ${objectId}`;
    const before = last.get(key);
    last.delete(key);
    last.set(
      key,
      before?.action === 'created' && action !== 'removed' ? { ...change, action: 'created' } : change,
    );
  }
  return [...last.values()];
}

function isSeen(change: Change, filters: readonly ChangeFilter[]): boolean {
  return filters.some(({ kinds, reach }) => kinds.includes(change.kind) && isInReach(reach, change));
}

/** The reach of a caller is decided when its stream opens. A change that may affect it ends the stream. */
function changesAccess({ kind, principalId }: Change, caller: PrincipalCaller): boolean {
  const isTeams = kind === 'grant' && principalId === undefined;
  return (
    kind === 'role' ||
    isTeams ||
    ((kind === 'principal' || kind === 'grant') && principalId === caller.principalId)
  );
}

/** The changes of {@link changesAccess}, for a stream whose own filters exclude them. */
function accessOf({ principalId }: PrincipalCaller): readonly ChangeFilter[] {
  const own = { kind: 'limited', principalId, clientIds: [], brandDomains: [], campaignIds: [] } as const;
  return [
    { kinds: ['principal'], reach: own },
    { kinds: ['grant', 'role'], reach: { kind: 'everything' } },
  ];
}

const stopping: StreamRefusal = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'The server is stopping. Open the stream again with the id of the last event.',
};
const tooMany: StreamRefusal = {
  code: 'RATE_LIMITED',
  message: 'This caller has the maximum number of open change streams: close one first.',
};
const full: StreamRefusal = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'The server has the maximum number of open change streams. Try again later.',
};
