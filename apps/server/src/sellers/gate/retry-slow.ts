import type { PrincipalDirectory, TenantScope } from '@switchyard/tenancy';
import { principalCaller } from '../../platform/caller/principal-caller.js';
import { resumeGate, type GateDeps } from './run-gate.js';

export interface RetryDeps {
  readonly gate: GateDeps;
  readonly principals: Pick<PrincipalDirectory, 'record'>;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** Nobody else takes a seller in that time, in milliseconds: longer than all checks of one. */
const leaseMs = 5 * 60_000;
/** Sellers of one tenant in one round, and tenants of one round. */
const atOnce = 5;
const tenantsAtOnce = 50;

/** Tries sellers again that did not answer in time, in the name of whoever added them. Returns how many. */
export async function retrySlowSellers(deps: RetryDeps): Promise<number> {
  const { onboardingRuns, clock } = deps.gate;
  const tenants = (await onboardingRuns.tenantsToRetry(clock.now())).slice(0, tenantsAtOnce);
  const counts = await Promise.all(tenants.map((organizationId) => retryOf(deps, { organizationId })));
  return counts.reduce((all, count) => all + count, 0);
}

async function retryOf({ gate, principals, onUnexpected }: RetryDeps, scope: TenantScope): Promise<number> {
  for (let count = 0; count < atOnce; count += 1) {
    const now = gate.clock.now();
    const run = await gate.onboardingRuns.takeToRetry(scope, now, now + leaseMs);
    if (run === undefined) return count;
    try {
      const connection = await gate.connections.byId(scope, run.connectionId);
      const starter = await principals.record(scope, { id: run.startedBy });
      if (connection === undefined || starter === undefined || connection.state === 'live') {
        // Nobody waits for it any more.
        await gate.onboardingRuns.save(scope, {
          ...run,
          checks: run.checks.filter(({ code }) => code !== 'slow'),
        });
        continue;
      }
      await resumeGate(gate, principalCaller(starter.principal), connection);
    } catch (error) {
      onUnexpected(error, 'trying a slow seller again');
    }
  }
  return atOnce;
}
