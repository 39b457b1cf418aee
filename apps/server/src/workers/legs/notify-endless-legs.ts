import { endlessAfterByTaskMs, endlessAfterMs } from '@switchyard/buys';
import type { EndlessLegs } from '@switchyard/store';
import type { AlarmRepository, TenantScope } from '@switchyard/tenancy';
import { isoOf, type Instant } from '@switchyard/values';

export interface EndlessDeps {
  readonly endless: EndlessLegs;
  readonly alarms: Pick<AlarmRepository, 'raise'>;
}

/** Alarms per round; the rest is raised in the next one. */
const atOnce = 100;

/**
 * Raises an alarm for every leg that has had no outcome for too long: a seller that answers `submitted` for ever ends
 * no operation, and only a person can ask it otherwise. The leg is still followed. Answers how many there are.
 */
export async function notifyEndlessLegs(
  { endless, alarms }: EndlessDeps,
  scope: TenantScope,
  now: Instant,
): Promise<number> {
  const byTask = Object.entries(endlessAfterByTaskMs).map(
    ([task, afterMs]) => [task, now - afterMs] as const,
  );
  const found = await endless.before(scope, now - endlessAfterMs, Object.fromEntries(byTask), atOnce);
  for (const { legId, operationId, seller, task, status, since } of found) {
    await alarms.raise(scope, {
      kind: 'leg_without_outcome',
      subject: legId,
      detail: { seller, task, status, operation_id: operationId, since: isoOf(since) },
    });
  }
  return found.length;
}
