import { getMediaBuyDelivery, getMediaBuys, type SellerRow, type Dialect } from '@switchyard/protocol';
import { type BreakerBoard, type Connection, type Ticket, traitsOf } from '@switchyard/sellers';
import type { Instant } from '@switchyard/values';

/** One seller to query, with its breaker's ticket. Every ticket must be settled. */
export interface PlannedLeg {
  readonly seller: string;
  readonly connection: Connection;
  readonly tool: string;
  readonly ticket: Ticket;
}

interface MarketPlan {
  readonly legs: readonly PlannedLeg[];
  /** One row for each seller that could serve the task but is not queried. */
  readonly skipped: readonly SellerRow[];
}

/**
 * Decides which sellers get a request. A seller of the wrong kind could not serve it and gets no row. Every other
 * seller that is left out gets a row with the reason.
 */
export function planMarket(
  task: NamedTask & { readonly serves: 'sales' | 'signals' | 'platform' },
  connections: readonly Connection[],
  board: BreakerBoard,
  at: Instant,
): MarketPlan {
  const legs: PlannedLeg[] = [];
  const skipped: SellerRow[] = [];
  for (const connection of connections) {
    if (!couldServe(task.serves, connection)) continue;
    const planned = planLeg(task, connection, board, at);
    if ('ticket' in planned) legs.push(planned);
    else skipped.push(planned);
  }
  return { legs, skipped };
}

function couldServe(serves: 'sales' | 'signals' | 'platform', connection: Connection): boolean {
  if (serves === 'platform' || connection.state === 'removed') return false;
  // Before onboarding has finished its kinds are unknown: it may serve the task later.
  if (connection.kinds.length === 0) return connection.state !== 'live';
  return connection.kinds.includes(serves);
}

function planLeg(
  task: NamedTask,
  connection: Connection,
  board: BreakerBoard,
  at: Instant,
): PlannedLeg | SellerRow {
  const seller = connection.slug;
  const { state } = connection;
  // A suspended seller may have running buys, which are still read.
  const isOfLiveBuys = state === 'suspended' && ofLiveBuys.has(task.names);
  if (state !== 'live' && !isOfLiveBuys)
    return skippedRow(seller, notLive[state], state === 'suspended' ? 'SUSPENDED' : 'NOT_LIVE');
  const tool = toolNameFor(task, connection);
  if (tool === undefined) return skippedRow(seller, 'The seller does not offer this task.', 'NOT_OFFERED');
  const admission = board.admit(breakerKeyOf(connection), at);
  if (!admission.admitted) {
    const seconds = Math.max(1, Math.ceil((admission.retryAt - at) / 1000));
    return skippedRow(seller, `It failed several times in a row; next try in ${seconds} s.`, 'BREAKER_OPEN');
  }
  return { seller, connection, tool, ticket: admission.ticket };
}

/** Reads of existing buys. */
const ofLiveBuys: ReadonlySet<NamedTask['names']> = new Set([getMediaBuys.names, getMediaBuyDelivery.names]);

const notLive = {
  draft: 'Onboarding has not finished.',
  onboarding: 'Onboarding has not finished.',
  failed: 'Onboarding failed.',
  disabled: 'The connection is switched off.',
  suspended: 'It is suspended.',
  removed: 'It was removed.',
} as const;

function skippedRow(seller: string, reason: string, code: string): SellerRow {
  return { seller, status: 'skipped', reason, code, elapsed_ms: 0, items: 0 };
}

function breakerKeyOf(connection: Connection): { organizationId: string; connectionId: string } {
  return { organizationId: connection.organizationId, connectionId: connection.id };
}

/** The part of a task with its names. */
interface NamedTask {
  readonly names: Readonly<Record<Dialect, readonly [string, ...string[]]>>;
}

/**
 * Returns the name of the task at this seller: the first of our names that it lists, otherwise our primary name.
 * Returns `undefined` if its list is known and has none of them. An A2A card need not list all skills, so there a
 * missing name is not conclusive.
 */
export function toolNameFor(task: NamedTask, connection: Connection): string | undefined {
  const names = task.names[connection.dialect];
  const listed = connection.tools;
  if (listed === undefined || Object.keys(listed).length === 0) return names[0];
  const found = names.find((name) => Object.hasOwn(listed, name));
  return found ?? (traitsOf(connection.protocol).listsTools ? undefined : names[0]);
}
