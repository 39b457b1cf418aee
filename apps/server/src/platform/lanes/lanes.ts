import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { DueKind } from '@switchyard/store';
import { noTracing } from '@switchyard/telemetry';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { every, type Rounds } from './every.js';
import { createVisits, type Visits } from './visits.js';
import { WORKERS, type WorkersContext } from './workers-context.js';

/** One kind of work that is done tenant by tenant. Lanes do not wait for each other. */
export interface Lane {
  readonly name: string;
  /** How often its due work is searched, in milliseconds; at least a second. */
  readonly everyMs: number;
  /** The tenants to visit: those with work of a kind that was due at that instant or earlier. */
  readonly due: () => Readonly<Partial<Record<DueKind, Instant>>>;
  /** `sellers`: most of a visit waits for sellers' answers, without a database connection. */
  readonly waitsFor?: 'sellers';
  /** The most visits at once; as many as the process has workers unless set. */
  readonly atOnce?: number;
  /** Does a limited part of a tenant's work: the rest stays due, and the tenant's next turn comes after others. */
  readonly visit: (scope: TenantScope, stopped: AbortSignal) => Promise<void>;
}

/** How often the schedule of lanes is checked, in milliseconds. */
const tickMs = 1_000;
/** Visits that wait for sellers are cheap, and some hang: this many run per visit that works in the database. */
const sellersPerWorker = 8;

/**
 * Searches due work of all tenants, with one statement for all lanes whose turn it is, and visits the tenants that have
 * some: a tenant without work costs nothing.
 */
@Injectable()
export class Lanes implements OnApplicationBootstrap {
  readonly #lanes = new Map<Lane, { readonly visits: Visits; turn: Instant }>();
  readonly #stopped = new AbortController();
  #rounds: Rounds | undefined;

  constructor(@Inject(WORKERS) private readonly context: WorkersContext) {}

  /** Call it before the application has started. */
  add(...lanes: readonly Lane[]): void {
    const { atOnce, workers } = this.context;
    for (const lane of lanes) {
      const most = lane.waitsFor === 'sellers' ? atOnce * sellersPerWorker : atOnce;
      const visits = createVisits(Math.min(most, lane.atOnce ?? most));
      this.#lanes.set(lane, { visits, turn: workers.ports.clock.now() + lane.everyMs });
    }
  }

  onApplicationBootstrap(): void {
    const { ports, onUnexpected } = this.context.workers;
    this.#rounds = every(
      ports.clock,
      tickMs,
      () => this.#findDue(),
      (error) => onUnexpected(error, 'searching due work'),
    );
  }

  /** Visits a tenant now, or when its turn comes. Rejects if the visit does. */
  async request(lane: Lane, organizationId: string): Promise<void> {
    const { tracing = noTracing } = this.context.workers;
    const visit = (): Promise<void> =>
      tracing.run(`lane ${lane.name}`, { attributes: { 'switchyard.organization': organizationId } }, () =>
        lane.visit({ organizationId }, this.#stopped.signal),
      );
    await this.#lanes.get(lane)?.visits.request(organizationId, visit);
  }

  /** Starts no more visits; resolves when the running ones have ended. */
  async stop(): Promise<void> {
    // Reads for our own use are stopped: the next process repeats them.
    this.#stopped.abort();
    await Promise.all([
      this.#rounds?.stop(),
      ...[...this.#lanes.values()].map(({ visits }) => visits.stop()),
    ]);
  }

  /** The running visits, for a stop that no longer waits for them. */
  running(): readonly string[] {
    return [...this.#lanes].flatMap(([{ name }, { visits }]) =>
      visits.running().map((organizationId) => `${name} ${organizationId}`),
    );
  }

  async #findDue(): Promise<void> {
    const { due, onUnexpected, ports } = this.context.workers;
    const now = ports.clock.now();
    const having = [...this.#lanes].filter(([, { turn }]) => turn <= now);
    for (const [{ everyMs }, state] of having) state.turn = now + everyMs;
    const requested = having.map(([lane]) => ({ lane, before: lane.due() }));
    const found = await due.find(mergedOf(requested.map(({ before }) => before)));
    if (this.#stopped.signal.aborted) return;
    for (const { lane, before } of requested) {
      const tenants = found.filter(({ kind }) => before[kind] !== undefined);
      for (const organizationId of new Set(tenants.map((tenant) => tenant.organizationId)))
        this.request(lane, organizationId).catch((error: unknown) => onUnexpected(error, lane.name));
    }
  }
}

/** No two lanes have the same kind. */
function mergedOf(all: readonly ReturnType<Lane['due']>[]): ReturnType<Lane['due']> {
  return Object.assign({}, ...all) as ReturnType<Lane['due']>;
}
