import { taskRegression, terminalConflict, type Leg } from '@switchyard/buys';
import type { Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { raiseAlarm } from '../signing/alarm-repository.js';

const refusals: ReadonlySet<string> = new Set([taskRegression, terminalConflict]);

/**
 * Raises an alarm for a task state that a seller sent and that cannot follow, in the transaction that refuses it. For
 * impossible states of a buy, the alarm is raised when the change is booked in the journal.
 */
export async function alarmRefusals(
  client: TenantClient,
  before: Leg | undefined,
  leg: Leg,
  at: Instant,
): Promise<void> {
  for (const finding of leg.findings) {
    if (!refusals.has(finding.code) || before?.findings.includes(finding) === true) continue;
    const { id, operationId, seller, task } = leg;
    const detail = {
      leg_id: id,
      operation_id: operationId,
      seller,
      code: finding.code,
      message: finding.message,
    };
    await raiseAlarm(client, { kind: 'illegal_transition', subject: `task ${task} ${id}`, detail }, at);
  }
}
