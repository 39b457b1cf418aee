import { provideFeedback } from '@switchyard/buys';
import { providePerformanceFeedback as task, type PerformanceFeedbackRequest } from '@switchyard/protocol';
import type { Handled, HandledCall, HandlerDeps } from './handler.js';
import { whyNotFound } from './caller/reach-of-task.js';
import { mutationOf } from './operation/mutation.js';
import { settleAtOnce } from './operation/settle-at-once.js';
import { writeAnswer } from './answer/write-answer.js';

export async function providePerformanceFeedback(
  deps: HandlerDeps,
  handled: HandledCall<PerformanceFeedbackRequest>,
): Promise<Handled> {
  const done = await provideFeedback({ ...deps.ports, creatives: deps.creatives }, mutationOf(deps, handled));
  if (!done.ok) return { kind: 'failed', errors: await whyNotFound(deps, handled, done.error) };
  return settleAtOnce(
    deps,
    handled,
    done.value,
    writeAnswer(task, { success: true }, handled.version.profile),
  );
}
