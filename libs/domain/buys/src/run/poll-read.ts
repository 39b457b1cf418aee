import { errorRule, taskError, type SellerReply } from '@switchyard/protocol';
import { callSeller } from '../call/call-seller.js';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';
import type { BuysPorts } from '../model/ports.js';
import type { LegRun } from '../call/leg-run.js';
import { queryTask } from './query-task.js';
import { storedPages } from '../apply/stored-pages.js';
import { readFurther } from './read-further.js';

/** Timeout for a late answer, in milliseconds: one day. */
const readTimeoutMs = 24 * 3_600_000;

/** How long the answers to a read are retained after the last one, in milliseconds: two days. */
export const readRetentionMs = 48 * 3_600_000;

/**
 * Polls for the answer to a read. Undefined where the seller sent nothing usable; it is polled again later.
 *
 * Where a task is completed without its result, as in releases up to 3.0, the read itself is sent once more,
 * and its outcome ends it: a read changes nothing. A task that the seller no longer knows has failed. Further
 * pages are read to the end.
 */
export async function pollRead(
  ports: Pick<BuysPorts, 'transport' | 'clock'>,
  leg: Leg,
  run: LegRun,
): Promise<SellerReply | undefined> {
  const reply = storedPages(leg) ?? (await endOf(ports, leg, run));
  if (reply?.status !== 'completed') return reply;
  return { ...reply, payload: await readFurther(ports, leg, reply.payload, run) };
}

async function endOf(
  ports: Pick<BuysPorts, 'transport' | 'clock'>,
  leg: Leg,
  run: LegRun,
): Promise<SellerReply | undefined> {
  if (ports.clock.now() - leg.createdAt >= readTimeoutMs)
    return failed('SERVICE_UNAVAILABLE', `The seller ${leg.seller} did not answer within a day.`);
  const received = await queryTask(ports, leg, run);
  if (received.kind === 'silent') return undefined;
  if (received.kind === 'refused')
    return isForgotten(received.code)
      ? failed(received.code, `The seller ${leg.seller} no longer knows this task.`)
      : undefined;
  const { reply } = received;
  if (reply.status !== 'completed' || Object.keys(reply.payload).length > 0) return reply;
  const again = await callSeller(
    ports.transport,
    run,
    { task: leg.task, args: outboundOf(leg), frozen: true },
    run.signal,
  );
  if (!again.ok) return undefined;
  const { status } = again.value.reply;
  if (status !== 'submitted' && status !== 'working') return again.value.reply;
  return failed('SERVICE_UNAVAILABLE', `The seller ${leg.seller} reports success without an answer.`);
}

function isForgotten(code: string): boolean {
  return code.endsWith('_NOT_FOUND') && errorRule(code).recovery !== 'transient';
}

function failed(code: string, message: string): SellerReply {
  return { status: 'failed', replayed: false, payload: {}, errors: [taskError(code, message)] };
}
