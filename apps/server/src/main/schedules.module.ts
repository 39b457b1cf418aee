import { Inject, Module } from '@nestjs/common';
import { refreshActivations, refreshCreatives as refresh } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';
import { Lanes } from '../platform/lanes/lanes.js';
import type { WorkerDeps } from '../platform/lanes/worker-deps.js';
import { WORKERS } from '../platform/lanes/workers-context.js';
import type { BackgroundContext } from './background-context.js';
import { tenantJobLanes, startScheduledJobs } from './scheduled-jobs.js';
import { custodyLane } from '../relay/custody/complete-custody.js';
import { recoveryLane } from '../buys/reports/recover-reports.js';
import { tokensLane } from '../sellers/oauth/renew-token.js';
import { rightsLane } from '../sellers/governance/watch-rights.js';
import { thingsLane } from '../sellers/governance/watch-things.js';
import { looksLane } from '../sellers/look-at-sellers.js';
import { capabilitiesLane } from '../sellers/refresh-capabilities.js';

export const SCHEDULED_JOBS = Symbol('scheduled jobs');

const scheduledJobs = {
  provide: SCHEDULED_JOBS,
  useFactory: ({ workers }: BackgroundContext) => startScheduledJobs(workers),
  inject: [WORKERS],
};

@Module({ providers: [scheduledJobs], exports: [scheduledJobs] })
export class SchedulesModule {
  constructor(@Inject(Lanes) lanes: Lanes, @Inject(WORKERS) { workers, custody }: BackgroundContext) {
    const { clock } = workers.ports;
    lanes.add(
      // What no webhook reports. One answer may take a minute.
      {
        name: 'creatives',
        everyMs: 1_000,
        waitsFor: 'sellers',
        due: () => ({ creatives: clock.now() }),
        visit: (scope, stopped) => refreshCreatives(workers, scope, stopped),
      },
      {
        name: 'signals',
        everyMs: 1_000,
        waitsFor: 'sellers',
        due: () => ({ signals: clock.now() }),
        visit: (scope, stopped) => refreshSignals(workers, scope, stopped),
      },
      recoveryLane(workers),
      custodyLane(custody),
      capabilitiesLane(workers),
      ...(workers.looks === undefined ? [] : [looksLane(workers.looks)]),
      ...(workers.things === undefined ? [] : [thingsLane(workers.things)]),
      ...(workers.rights === undefined ? [] : [rightsLane(workers.rights)]),
      ...(workers.signIns === undefined ? [] : [tokensLane(workers.signIns)]),
      ...tenantJobLanes(workers),
    );
  }
}

/** Polls the sellers that have not decided on a tenant's creatives, if due. */
async function refreshCreatives(
  { ports, creatives, onUnexpected }: Pick<WorkerDeps, 'ports' | 'creatives' | 'onUnexpected'>,
  scope: TenantScope,
  stop: AbortSignal,
): Promise<void> {
  if (creatives === undefined) return;
  await refresh({ ...ports, creatives }, scope, stop).catch((error: unknown) => {
    onUnexpected(error, 'polling creatives');
  });
}

/** Polls the agents of a tenant's signals that are not active yet, if due. */
async function refreshSignals(
  { ports, onUnexpected }: Pick<WorkerDeps, 'ports' | 'onUnexpected'>,
  scope: TenantScope,
  stop: AbortSignal,
): Promise<void> {
  await refreshActivations(ports, scope, stop).catch((error: unknown) => {
    onUnexpected(error, 'polling signals');
  });
}
