import { finalizationFault } from '@switchyard/fanout';
import { findTask, getProducts, getSignals, taskError, type TaskError } from '@switchyard/protocol';
import { isJsonObject } from '@switchyard/values';
import type { LegObservation } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';

/** The market reads that a seller may answer later (docs/protocol/products.md#later-answers). */
export const marketReads: readonly string[] = [getProducts.name, getSignals.name];

/** Whether a task is a read that may be answered later. It changes nothing, so nothing has to be undone. */
export function isMarketRead(task: string | undefined): boolean {
  return task !== undefined && marketReads.includes(task);
}

/** Whether a task of this kind can continue after its first answer, and so can be polled. */
export function canLast(task: string): boolean {
  const spec = findTask(task);
  return spec !== undefined && spec.mayBeAsync && (spec.kind === 'mutation' || isMarketRead(spec.name));
}

/**
 * The end of a read that a seller answers later. A seller that needs input or authorization has refused, as
 * in an immediate answer: no buyer waits to answer it.
 */
export function asReadEnd(seen: LegObservation): LegObservation {
  const { reply } = seen;
  if (reply.status !== 'input-required' && reply.status !== 'auth-required') return seen;
  const code = reply.status === 'auth-required' ? 'AUTH_REQUIRED' : 'INPUT_REQUIRED';
  const errors =
    reply.errors.length > 0
      ? reply.errors
      : [taskError(code, 'The seller asks for input before it answers.', { recovery: 'correctable' })];
  return { ...seen, reply: { ...reply, status: 'rejected', errors } };
}

/** An unreadable answer counts as none. A read changes nothing at the seller, so no person has to check. */
export function readableRead(leg: Leg): Leg {
  if (leg.status !== 'completed') return leg;
  const read = findTask(leg.task)?.readAnswer(leg.answer ?? {}, leg.profile);
  if (read?.ok === false) return { ...leg, status: 'failed', errors: [notConformant] };
  const fault = leg.task === getProducts.name ? uncommitted(leg) : undefined;
  return fault === undefined ? leg : { ...leg, status: 'failed', errors: [fault] };
}

/** The error of a finalization whose late answer commits its seller to nothing. */
function uncommitted(leg: Leg): TaskError | undefined {
  const changes = outboundOf(leg)['refine'];
  const read = getProducts.readAnswer(leg.answer ?? {}, leg.profile);
  if (!Array.isArray(changes) || !read.ok) return undefined;
  return finalizationFault(changes.filter(isJsonObject), read.value.answer);
}

const notConformant: TaskError = {
  code: 'NOT_CONFORMANT',
  message: 'The answer does not follow the protocol.',
  recovery: 'terminal',
};
