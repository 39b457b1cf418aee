import { activateSignal as activate } from '@switchyard/buys';
import type { ActivateSignalRequest } from '@switchyard/protocol';
import type { Handled, HandledCall, HandlerParts } from './handler.js';
import { mutationOf } from './operation/mutation.js';
import { settleAnswer } from './operation/settle-answer.js';

export async function activateSignal(
  parts: HandlerParts,
  handled: HandledCall<ActivateSignalRequest>,
): Promise<Handled> {
  const done = await activate(parts.ports, mutationOf(parts, handled));
  return done.ok ? settleAnswer(parts, handled, done.value) : { kind: 'failed', errors: done.error };
}
