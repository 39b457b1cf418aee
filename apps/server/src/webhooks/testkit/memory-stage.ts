import { randomUUID } from 'node:crypto';
import type { SellerBuy } from '@switchyard/buys';
import {
  changeByWebhook,
  changesBySnapshot,
  shownImpairment,
  type AcceptedWebhook,
  type ImpairmentChange,
  type KnownImpairment,
  type RecordedImpairment,
  type WebhookRegistration,
} from '@switchyard/events';
import {
  decideReport,
  ReportRepository,
  type BookedBuy,
  type LedgerEntry,
  type Observation,
  type ReportVersion,
  type StreamEnd,
} from '@switchyard/ledger';
import { BreakerBoard, Bulkhead, defaultBreakerPolicy, type Connection } from '@switchyard/sellers';
import type { WaitingEvent } from '@switchyard/store';
import { memoryOperationStore, testClock, type MemoryOperationStore } from '@switchyard/testing';
import { err, ok, type JsonObject } from '@switchyard/values';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import { DeliveryEndpoint, type DeliveryFigures } from './delivery-endpoint.js';
import { started } from './inbox.js';
import type { StoryStage } from './story.js';

/**
 * The workers on lists in memory, with the domain's own decisions. Locks, commits and endpoints are tested by the suite
 * that runs the same stories on PostgreSQL.
 */
export function memoryStage(
  seed: number,
  figures: DeliveryFigures,
): StoryStage & { readonly connections: readonly Connection[]; readonly count: () => void } {
  const scope = { organizationId: randomUUID() };
  const clock = testClock(started);
  const store = memoryOperationStore();
  const connections = ['one', 'two', 'three'].map((slug) => connectionOf(scope.organizationId, slug));
  const inbox = memoryInbox(scope);
  const endpoint = new DeliveryEndpoint(seed, connections, { figures, now: () => clock.now() });
  const impairments = memoryImpairments();
  let answers: (tool: string, args: JsonObject) => JsonObject | undefined = () => undefined;
  const reader = {
    list: () => Promise.resolve(connections),
    byId: (_scope: unknown, id: string) =>
      Promise.resolve(connections.find((connection) => connection.id === id)),
  };
  const ports = {
    impairments,
    store,
    connections: reader,
    transport: {
      call: (_target: unknown, { tool, args }: { readonly tool: string; readonly args: JsonObject }) => {
        const payload = answers(tool, args);
        return Promise.resolve(
          payload === undefined
            ? err({ code: 'unreachable' as const, delivered: 'no' as const, message: 'Nobody answers.' })
            : ok({ payload, isError: false }),
        );
      },
    },
    lease: () => Promise.resolve(ok(new Map())),
    clock,
    ids: { uuid: () => randomUUID(), token: (prefix: string) => `${prefix}_${randomUUID()}` },
    callbackBase: () => 'http://127.0.0.1',
    notice: () => undefined,
    breakers: new BreakerBoard(defaultBreakerPolicy, { changed: () => undefined }),
    bulkhead: new Bulkhead(16),
  };
  const parts = {
    ports,
    connections: reader,
    inbox: inbox.work,
    ledger: memoryLedger(scope, store),
    impairments,
    onUnexpected: (error: unknown) => {
      throw error;
    },
  } as unknown as WorkerDeps;
  return {
    parts,
    scope,
    clock,
    connections,
    answerWith: (given) => {
      answers = given;
    },
    fire: async (deal, { channel, body }) => {
      const id = channel === 'report' ? deal.reportAddress : deal.taskAddress;
      const draft = store.rowsOf(scope).registrations.get(id);
      if (draft === undefined || draft.kind === 'a2a')
        throw new Error('There is no registration with this address.');
      const { legId, kind, sellerOperationId } = draft;
      const { id: connectionId, agentUrl: sellerAgentUrl, dialect, organizationId } = deal.connection;
      const registration = {
        ...{ id, organizationId, connectionId, legId, operationId: '', kind, mode: 'signed' as const },
        ...{ sellerOperationId, dialect, sellerAgentUrl },
      };
      for (const accepted of await endpoint.bring(registration, body)) inbox.take(accepted, registration);
    },
    count: () => inbox.count(figures),
  };
}

function connectionOf(organizationId: string, slug: string): Connection {
  return {
    id: randomUUID(),
    organizationId,
    slug,
    name: slug,
    agentUrl: `https://${slug}.example/mcp`,
    protocol: 'mcp',
    dialect: 'ads',
    configuredForm: 'auto',
    form: '3.1',
    kinds: ['sales'],
    state: 'live',
    legacyWebhooks: false,
    isSandbox: false,
  };
}

/** One entry for each (sender, key), with its result. */
interface Mark {
  readonly id: string;
  readonly state: string;
}

/** The inbox of one tenant: the first copy of a message is stored, and nothing of later ones. */
export function memoryInbox(scope: { readonly organizationId: string }) {
  const events: { readonly event: WaitingEvent; state: string }[] = [];
  const placeOf = ({ sender, idempotencyKey }: Pick<WaitingEvent, 'sender' | 'idempotencyKey'>): string =>
    `${sender} ${idempotencyKey}`;
  const answered = new Set<string>();
  const markAll = (marks: readonly Mark[]): Promise<void> => {
    for (const { id, state } of marks) {
      const row = events.find(({ event }) => event.id === id);
      if (row?.state !== 'received') throw new Error('Somebody has marked it before.');
      row.state = state;
    }
    return Promise.resolve();
  };
  return {
    /** Does what an endpoint does after its `200`: stores the first copy, and nothing of later ones. */
    take: ({ event }: AcceptedWebhook, registration: WebhookRegistration): void => {
      const isKnown = answered.has(placeOf(event));
      answered.add(placeOf(event));
      if (isKnown || event.state !== 'received') return;
      const { id, sender, idempotencyKey, kind, body, bodyHash, receivedAt, registrationId } = event;
      const waiting: WaitingEvent = {
        ...{ id, registrationId, sender, idempotencyKey, kind, body, bodyHash, receivedAt },
        organizationId: scope.organizationId,
        connectionId: registration.connectionId,
        legId: registration.legId ?? '',
        operationId: '',
        registrationKind: registration.kind,
        registrationMode: 'signed',
        sellerOperationId: registration.sellerOperationId,
      };
      events.push({ event: waiting, state: 'received' });
    },
    /** How many messages have no end yet. */
    waitingNow: (): number => events.filter(({ state }) => state === 'received').length,
    /** Counts answered events without an effect, and events with more than one effect. */
    count: (figures: DeliveryFigures): void => {
      for (const place of answered) {
        const ends = events.filter(({ event }) => placeOf(event) === place).map(({ state }) => state);
        if (!ends.some((state) => state !== 'received')) figures.lost += 1;
        figures.doubled += Math.max(0, ends.filter((state) => state === 'applied').length - 1);
      }
    },
    work: {
      waiting: () =>
        Promise.resolve(events.filter(({ state }) => state === 'received').map(({ event }) => event)),
      mark: (_client: unknown, marks: readonly Mark[]) => markAll(marks),
      markAlone: (_scope: unknown, mark: Mark) => markAll([mark]),
      find: (_scope: unknown, id: string) => Promise.resolve(events.find(({ event }) => event.id === id)),
      // No test here reads the stored evidence of a poll.
      storePulled: () => Promise.resolve(),
    },
  };
}

/** The ledger of one tenant, with the domain's own decisions. */
export function memoryLedger(
  scope: { readonly organizationId: string },
  store: MemoryOperationStore,
  newId: () => string = randomUUID,
) {
  const entries: LedgerEntry[] = [];
  const ends = new Map<string, StreamEnd[]>();
  let versions: readonly (ReportVersion & { readonly isCurrent: boolean })[] = [];
  const decide = (observation: Observation) => {
    const rows = store.rowsOf(scope);
    const known = [...rows.sellerBuys.values()].filter(({ sellerMediaBuyId }) => sellerMediaBuyId);
    const current = versions.filter(({ isCurrent }) => isCurrent);
    const repository = new ReportRepository({
      buys: known.map((buy) => bookedBuy(store, scope, buy, ends.get(buy.id) ?? [])),
      awaitedLegs: new Set(
        [...rows.sellerBuys.values()]
          .filter(({ sellerMediaBuyId }) => sellerMediaBuyId === undefined)
          .map(({ legId }) => legId),
      ),
      versions,
      spent: known.flatMap(({ id: sellerBuyId }) =>
        [...new Set(current.map(({ packageRef }) => packageRef))].map((packageRef) => ({
          sellerBuyId,
          packageRef,
          spendMicros: current
            .filter((item) => item.sellerBuyId === sellerBuyId && item.packageRef === packageRef)
            .reduce((sum, { spendMicros }) => sum + spendMicros, 0n),
        })),
      ),
    });
    const decision = decideReport(observation, repository, newId);
    entries.push(...decision.entries);
    for (const { sellerBuyId, at } of decision.ended) {
      const { sequenceNumber } = observation.report;
      const end = { stream: observation.stream, reportedAt: at };
      const numbered = sequenceNumber === undefined ? end : { ...end, sequenceNumber };
      ends.set(sellerBuyId, [...(ends.get(sellerBuyId) ?? []), numbered]);
    }
    versions = known.flatMap(({ id }) =>
      repository.versionsOf(id).map((version) => ({ ...version, isCurrent: repository.isCounted(version) })),
    );
    return decision.outcome;
  };
  return {
    /** The entries themselves, oldest first. */
    all: (): LedgerEntry[] => entries,
    applyReports: async (
      _scope: unknown,
      batch: readonly Observation[],
      { alongside }: { readonly alongside?: (client: object, outcomes: readonly object[]) => Promise<void> },
    ) => {
      const outcomes = batch.map(decide);
      await alongside?.({}, outcomes);
      return outcomes;
    },
    deliveredBy: (_scope: unknown, mediaBuyId: string) =>
      Promise.resolve(versions.filter((version) => version.isCurrent && version.mediaBuyId === mediaBuyId)),
    // Commitments of buys are booked separately, and are not part of these stories.
    bookChanges: () => Promise.resolve(0),
    entriesOf: (_scope: unknown, mediaBuyId: string) =>
      Promise.resolve(entries.filter((entry) => entry.mediaBuyId === mediaBuyId)),
  };
}

function bookedBuy(
  store: MemoryOperationStore,
  scope: { readonly organizationId: string },
  sellerBuy: SellerBuy,
  ended: readonly StreamEnd[],
): BookedBuy {
  const { buys, packages } = store.rowsOf(scope);
  const buy = buys.get(sellerBuy.mediaBuyId);
  return {
    sellerBuyId: sellerBuy.id,
    mediaBuyId: sellerBuy.mediaBuyId,
    operationId: buy?.operationId ?? '',
    connectionId: sellerBuy.connectionId,
    seller: sellerBuy.seller,
    sellerMediaBuyId: sellerBuy.sellerMediaBuyId ?? '',
    currency: buy?.currency ?? '',
    packages: [...packages.values()]
      .filter(({ legId }) => legId === sellerBuy.legId)
      .map(({ sellerPackageId, budgetMicros }) => ({
        budgetMicros,
        ...(sellerPackageId === undefined ? {} : { ref: sellerPackageId }),
      })),
    ended,
  };
}

/** Impairments of buys, with the domain's own decisions. */
export function memoryImpairments() {
  const stored = new Map<string, { readonly sellerBuy: SellerBuy; readonly known: RecordedImpairment[] }>();
  const rowOf = (sellerBuy: SellerBuy) => {
    const row = stored.get(sellerBuy.id) ?? { sellerBuy, known: [] };
    stored.set(sellerBuy.id, row);
    return row;
  };
  const keep = (sellerBuy: SellerBuy, changes: readonly ImpairmentChange[], changedAt: number): void => {
    const { known } = rowOf(sellerBuy);
    for (const change of changes) {
      const at = known.findIndex(({ impairmentId }) => impairmentId === change.impairmentId);
      known.splice(at === -1 ? known.length : at, at === -1 ? 0 : 1, { ...change, changedAt });
    }
  };
  return {
    recordNotified: (
      _scope: unknown,
      received: KnownImpairment & { readonly sellerBuy: SellerBuy },
      at: number,
    ) => {
      const { sellerBuy, impairmentId, detail, isResolved } = received;
      const change = changeByWebhook(rowOf(sellerBuy).known, { impairmentId, detail, isResolved });
      if (change !== undefined) keep(sellerBuy, [change], at);
      return Promise.resolve(change !== undefined);
    },
    recordSnapshot: (_scope: unknown, sellerBuy: SellerBuy, listed: readonly JsonObject[], at: number) => {
      keep(sellerBuy, changesBySnapshot(rowOf(sellerBuy).known, listed, at), at);
      return Promise.resolve();
    },
    of: (_scope: unknown, mediaBuyIds: readonly string[]) => {
      const byBuy = new Map<string, JsonObject[]>();
      for (const { sellerBuy, known } of stored.values()) {
        const { mediaBuyId, seller } = sellerBuy;
        const open = known.filter(({ isResolved }) => !isResolved);
        if (!mediaBuyIds.includes(mediaBuyId) || open.length === 0) continue;
        const shown = open.map(({ impairmentId: id, detail }) => shownImpairment({ id, seller, detail }));
        byBuy.set(mediaBuyId, [...(byBuy.get(mediaBuyId) ?? []), ...shown]);
      }
      return Promise.resolve(byBuy);
    },
  };
}
