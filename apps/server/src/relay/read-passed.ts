import { errorRule, readReply, type SellerReply } from '@switchyard/protocol';
import { readAnswerBytes, type AnswerInBytes } from '@switchyard/transports';
import type { PassedAnswer, ReadBody } from './forward-sealed.js';

/** A seller's answer to a relayed request, read like any other of its answers. */
export interface PassedReply {
  readonly reply: SellerReply;
  readonly a2aTaskId?: string;
}

/**
 * Reads a relayed answer. `nothing`: the seller has not acted. `undefined`: the outcome is unknown, because the answer is
 * incomplete, does not follow the protocol, or reports a failure of the seller itself.
 */
export function readPassed(
  call: { readonly protocol: 'mcp' | 'a2a'; readonly rpcId: string | number; readonly task: string },
  answer: Pick<PassedAnswer, 'status' | 'headers'>,
  read: ReadBody,
): PassedReply | 'nothing' | undefined {
  // 408 is the one refusal that may come after the request was processed.
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 408) return 'nothing';
  if (read.whole === undefined || answer.status >= 400) return undefined;
  const type = answer.headers['content-type'] ?? '';
  const seen: AnswerInBytes = readAnswerBytes(call.protocol, call.rpcId, type, read.whole);
  if (seen.kind === 'not_executed') return 'nothing';
  if (seen.kind !== 'answer') return undefined;
  const { payload, isError, a2a } = seen.answer;
  const reply = readReply(call.task, payload, isError, a2a);
  return { reply, ...(a2a?.taskId === undefined ? {} : { a2aTaskId: a2a.taskId }) };
}

/** Whether the held budget is released: by the seller's final answer, nothing was created. */
export function madeNothing(reported: PassedReply | 'nothing' | undefined): boolean {
  if (reported === 'nothing') return true;
  if (reported === undefined) return false;
  const { status, errors } = reported.reply;
  if (status !== 'failed' && status !== 'rejected') return false;
  return !errors.some(
    ({ code, recovery }) =>
      code.startsWith('IDEMPOTENCY_') || (recovery ?? errorRule(code).recovery) === 'transient',
  );
}
