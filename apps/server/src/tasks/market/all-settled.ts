import { isSettled, type OperationState } from '@switchyard/buys';

/** True once every seller that was asked has said its last word. */
export function allSettled({ legs }: Pick<OperationState, 'legs'>): boolean {
  return legs.every(isSettled);
}
