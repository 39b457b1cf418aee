import { isSettled, type OperationState } from '@switchyard/buys';
import type { TaskProgress } from '@switchyard/protocol';

/** How far an operation is, counted in sellers: nothing where it has none that are asked. */
export function progressOf({ legs }: Pick<OperationState, 'legs'>): Required<TaskProgress> | undefined {
  const asked = legs.filter((leg) => leg.status !== 'held');
  if (asked.length === 0) return undefined;
  const done = asked.filter(isSettled).length;
  return {
    percentage: Math.floor((100 * done) / asked.length),
    currentStep: `${done} of ${asked.length} sellers are done`,
    totalSteps: asked.length,
    stepNumber: Math.min(done + 1, asked.length),
  };
}
