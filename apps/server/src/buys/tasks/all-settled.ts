import { isSettled, type OperationState } from '@switchyard/buys';

/** True once every queried seller has a final answer. */
export function allSettled({ legs }: Pick<OperationState, 'legs'>): boolean {
  return legs.every(isSettled);
}
