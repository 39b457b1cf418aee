import { findTask, getProducts, getSignals } from '@switchyard/protocol';

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
