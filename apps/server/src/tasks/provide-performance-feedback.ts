import { provideFeedback } from '@switchyard/buys';
import { providePerformanceFeedback as task, type PerformanceFeedbackRequest } from '@switchyard/protocol';
import type { Handled, HandledCall, HandlerParts } from './handler.js';
import { mutationOf } from './operation/mutation.js';
import { settleAtOnce } from './operation/settle-at-once.js';
import { writeAnswer } from './answer/write-answer.js';

export async function providePerformanceFeedback(
  parts: HandlerParts,
  handled: HandledCall<PerformanceFeedbackRequest>,
): Promise<Handled> {
  const done = await provideFeedback(
    { ...parts.ports, creatives: parts.creatives },
    mutationOf(parts, handled),
  );
  if (!done.ok) return { kind: 'failed', errors: done.error };
  return settleAtOnce(
    parts,
    handled,
    done.value,
    writeAnswer(task, { success: true }, handled.version.voice),
  );
}
