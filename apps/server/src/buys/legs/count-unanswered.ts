import type { OperationStore } from '@switchyard/buys';
import type { AbandonedWork } from '@switchyard/store';
import { noTracing, type Tracing } from '@switchyard/telemetry';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';

export interface UnansweredDeps {
  readonly abandoned: Pick<AbandonedWork, 'unanswered'>;
  readonly ports: { readonly store: Pick<OperationStore, 'saveAnswer'> };
  readonly tracing?: Tracing;
}

/**
 * Marks the operations stored before `before` whose buyer got no answer as answered with `submitted`.
 *
 * A webhook is owed only after an answer, and the process that should have answered is dead. From now on the buyer gets
 * webhooks, first of everything that has happened meanwhile. It may repeat its key as before: no text is stored, so a
 * replay returns the current state.
 */
export async function countUnanswered(
  { abandoned, ports, tracing = noTracing }: UnansweredDeps,
  scope: TenantScope,
  before: Instant,
  at: Instant,
): Promise<number> {
  const found = await abandoned.unanswered(scope, before);
  for (const { id, traceParent: causedBy } of found)
    await tracing.run('operation answer', { attributes: { 'switchyard.operation': id }, causedBy }, () =>
      ports.store.saveAnswer(scope, id, { status: 'submitted' }, at),
    );
  return found.length;
}
