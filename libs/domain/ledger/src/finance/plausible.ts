/**
 * The rule of every door by which amounts come in (docs/ledger.md#amounts-that-cannot-be-right). `cost` is what the target
 * may still cost, in micros of the same currency; nothing is said of an amount whose target may cost nothing.
 */

/** Above 1.5 times: a question, or quarantine. */
export function isDoubtful(amount: bigint, cost: bigint): boolean {
  return cost > 0n && amount * 2n > cost * 3n;
}

/** Above 100 times: refused. */
export function isAbsurd(amount: bigint, cost: bigint): boolean {
  return cost > 0n && amount > cost * 100n;
}
