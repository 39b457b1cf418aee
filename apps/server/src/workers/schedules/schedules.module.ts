import { Inject, Module } from '@nestjs/common';
import { Lanes } from '../lanes.js';
import { SCHEDULED_JOBS, WORKERS, type WorkersContext } from '../workers-context.js';
import { tenantJobLanes, startScheduledJobs } from './scheduled-jobs.js';
import { custodyLane } from './keep-custody.js';
import { recoveryLane } from './recover-reports.js';
import { capabilitiesLane } from './refresh-capabilities.js';
import { refreshCreatives, refreshSignals } from './refresh-pending.js';

const scheduledJobs = {
  provide: SCHEDULED_JOBS,
  useFactory: ({ workers }: WorkersContext) => startScheduledJobs(workers),
  inject: [WORKERS],
};

@Module({ providers: [scheduledJobs], exports: [scheduledJobs] })
export class SchedulesModule {
  constructor(@Inject(Lanes) lanes: Lanes, @Inject(WORKERS) { workers, custody }: WorkersContext) {
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
      ...tenantJobLanes(workers),
    );
  }
}
