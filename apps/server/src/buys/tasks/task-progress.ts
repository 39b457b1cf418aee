import { isSettled, type OperationState } from '@switchyard/buys';
import { readProgressWords, type TaskProgress } from '@switchyard/protocol';

/**
 * The progress of an operation: every seller counts alike, a working one by the share that it reports as done.
 * Undefined if no seller was queried.
 */
export function progressOf({ legs }: Pick<OperationState, 'legs'>): Required<TaskProgress> | undefined {
  const requested = legs.filter((leg) => leg.status !== 'held');
  if (requested.length === 0) return undefined;
  const done = requested.filter(isSettled).length;
  const parts = requested
    .filter((leg) => !isSettled(leg))
    .map((leg) => ({ seller: leg.seller, ...readProgressWords(leg.answer ?? {}) }));
  const partly = parts.reduce((sum, { percentage = 0 }) => sum + percentage, 0);
  const received = parts.flatMap(({ seller, text }) => (text === undefined ? [] : [`${seller}: ${text}`]));
  return {
    percentage: Math.floor((100 * done + partly) / requested.length),
    currentStep: [`${done} of ${requested.length} sellers are done`, ...received].join('; ').slice(0, 2_000),
    totalSteps: requested.length,
    stepNumber: Math.min(done + 1, requested.length),
  };
}
