import type { OperationState } from '@switchyard/buys';
import type { BuyerRegistration, OutboxDraft } from '@switchyard/events';
import { isTerminal, observe, type TaskStatus } from '@switchyard/protocol';
import type { TenantClient } from '../core/tenant-client.js';
import { appendEvents } from './append-events.js';
import { registrationsOf } from './registration-row.js';

/** Writes an operation's result as events for its registered addresses. Pure except for new ids. */
export type Announce = (
  state: OperationState,
  registrations: readonly BuyerRegistration[],
) => readonly OutboxDraft[];

/** Whether a buyer who knows one status of an operation is told another. */
export function isAnnounced(known: TaskStatus, status: TaskStatus): boolean {
  return !isTerminal(known) && observe(known, status) === 'applied';
}

/**
 * Writes the webhooks for a change of an operation's status, in the transaction that stores the change.
 *
 * `known` is the status that the buyer knows: that of its first answer, or the one stored before. Nothing is owed before
 * that answer, after a terminal one, or for a step backwards; a leg's own status does not count.
 */
export async function announceMove(
  client: TenantClient,
  announce: Announce,
  known: TaskStatus,
  state: OperationState,
): Promise<void> {
  if (!isAnnounced(known, state.operation.status)) return;
  const registrations = await registrationsOf(client, state.operation.id);
  const tasks = registrations.filter((item) => item.channel === 'task');
  if (tasks.length > 0) await appendEvents(client, announce(state, tasks));
}
