import type { OperationStore } from '@switchyard/buys';
import type { AbandonedWork } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';

export interface UnansweredDeps {
  readonly abandoned: Pick<AbandonedWork, 'unanswered'>;
  readonly ports: { readonly store: Pick<OperationStore, 'saveAnswer'> };
}

/**
 * Counts the operations that were stored before `before`, and whose buyer got no answer, as answered with `submitted`.
 *
 * Only after an answer is a webhook owed, and the process that should have answered is dead. From here on the buyer is
 * told of everything, first of all of what has happened meanwhile. It asks again under its key as before: no text is
 * kept, so a replay says what is known then.
 */
export async function countUnanswered(
  { abandoned, ports }: UnansweredDeps,
  scope: TenantScope,
  before: Instant,
  at: Instant,
): Promise<number> {
  const ids = await abandoned.unanswered(scope, before);
  for (const id of ids) await ports.store.saveAnswer(scope, id, { status: 'submitted' }, at);
  return ids.length;
}
