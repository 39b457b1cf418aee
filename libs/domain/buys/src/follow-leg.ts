import type { TenantScope } from '@switchyard/tenancy';
import type { OperationState } from './operation-store.js';
import { pollLeg } from './poll-leg.js';
import type { BuysPorts } from './ports.js';
import { readBack } from './read-back.js';
import { nextStep } from './resume-leg.js';
import { runLeg, type LegRun } from './run-leg.js';

/** Takes an unfinished leg one step further, whatever it was left at. */
export async function followLeg(
  ports: BuysPorts,
  scope: TenantScope,
  legId: string,
  run: LegRun,
): Promise<OperationState | undefined> {
  const leg = await ports.store.leg(scope, legId);
  if (leg === undefined) return undefined;
  switch (nextStep(leg, run.connection, ports.clock.now())) {
    case 'send':
    case 'send_again':
      return runLeg(ports, scope, legId, run);
    case 'read_back':
      return readBack(ports, scope, leg, run);
    case 'poll':
      return pollLeg(ports, scope, leg, run);
    case 'leave':
      return undefined;
  }
}
