import { findTask, getProducts, getSignals } from '@switchyard/protocol';

/** The questions to the market that a seller may answer later (docs/protocol/products.md#later-answers). */
export const marketReads: readonly string[] = [getProducts.name, getSignals.name];

/** Whether a task is a question whose answers may come later: it changes nothing, so nothing of it has to be undone. */
export function isMarketRead(task: string | undefined): boolean {
  return task !== undefined && marketReads.includes(task);
}

/** Whether work of this kind can go on after its first answer, and so has a task that can be asked about. */
export function canLast(task: string): boolean {
  const spec = findTask(task);
  return spec !== undefined && spec.mayBeAsync && (spec.kind === 'mutation' || isMarketRead(spec.name));
}
