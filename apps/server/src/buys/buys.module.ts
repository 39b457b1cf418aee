import { Module } from '@nestjs/common';
import { insertCeilings, type ReadPorts } from '@switchyard/buys';
import { Bulkhead } from '@switchyard/sellers';
import {
  abandonedWork,
  activationRepository,
  approvalStore,
  campaignDirectory,
  creativeApprovals,
  creativeStore,
  endlessLegs,
  governanceCases,
  impairments as impairmentsIn,
  internalApprovals,
  oldReads,
  operationStore,
  readPacing,
  reportWatches,
  spendBy,
  spendInReporting,
  sumSpend,
  taskCallbacks,
  taskLog,
  type ledgerStore,
} from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf } from '@switchyard/values';
import { systemIds } from '../platform/ids.js';
import type { Kernel } from '../platform/kernel.js';
import { logError } from './log-error.js';
import { announceOperation } from './tasks/announce-operation.js';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { approvalRoutes } from './approvals.routes.js';
import { campaignAdviceRoutes } from './campaign-advice.routes.js';
import { campaignPauseRoutes } from './campaign-pause.routes.js';
import { buyRoutes } from './buys.routes.js';

export const buys = capabilityOf('buys', {
  approvals: approvalRoutes,
  buys: buyRoutes,
  advice: campaignAdviceRoutes,
  pause: campaignPauseRoutes,
});

@Module({ controllers: [...buys.controllers] })
export class BuysModule {}

/** What the capability is made of. */
export type Buys = ReturnType<typeof makeBuys>;

/** The ways to sellers that a process has, and what several capabilities know of them. */
interface MadeFrom extends Pick<
  ReadPorts,
  | 'breakers'
  | 'clientAccounts'
  | 'endedLists'
  | 'learnAccount'
  | 'learnReports'
  | 'lease'
  | 'relearn'
  | 'signerFor'
  | 'transport'
> {
  readonly ledger: ReturnType<typeof ledgerStore>;
  /** How long an internal approval may take, in milliseconds. */
  readonly approvalMs: number;
  readonly inserts: Parameters<typeof insertCeilings>[0];
}

/** The most concurrent calls of one tenant at one seller. */
const callsAtOnce = 16;

/** Operations on buys, creatives and signals, and what they wait for. */
export function makeBuys(kernel: Kernel, { ledger, approvalMs, inserts, ...ways }: MadeFrom) {
  const { store, alarms, clock, connections } = kernel;
  const announcing = { announce: announceOperation(systemIds), approvalMs };
  const operations = operationStore(store, announcing);
  const impairments = impairmentsIn(store, ledger);
  const ports: ReadPorts = {
    ...{ ...ways, store: operations, connections, clock, impairments, ids: systemIds, figures: ledger },
    casesOf: governanceCases(store).ofBuys,
    creativeApprovals: creativeApprovals(store),
    activations: activationRepository(store),
    campaigns: campaignDirectory(store),
    pollRefused: (scope, { id, operationId, seller, task, status, createdAt }, code) =>
      alarms.raise(scope, {
        kind: 'leg_without_outcome',
        subject: id,
        detail: {
          ...{ seller, task, status, operation_id: operationId, since: isoOf(createdAt), poll_refused: code },
        },
      }),
    insertCeilings: insertCeilings(inserts),
    callbackBase: kernel.url,
    notice: (what) => kernel.onUnexpected(logError(what), `${what.seller} ${what.legId}`),
    bulkhead: new Bulkhead(callsAtOnce),
  };
  return {
    ...{ operations, impairments, ports, announcing },
    abandoned: abandonedWork(store),
    approvals: approvalStore(store),
    creatives: creativeStore(store),
    endless: endlessLegs(store),
    internal: internalApprovals(store, announcing),
    pacing: (scope: TenantScope, wanted: Parameters<typeof readPacing>[2]) =>
      readPacing(store, scope, wanted),
    reads: oldReads(store),
    spendBy: (scope: TenantScope, question: Parameters<typeof spendBy>[2]) => spendBy(store, scope, question),
    spendInReporting: (scope: TenantScope, question: Parameters<typeof spendInReporting>[2]) =>
      spendInReporting(store, scope, question),
    sumSpend: () => sumSpend(store, clock.now()),
    taskCallbacks: taskCallbacks(store),
    taskLog: taskLog(store),
    watches: reportWatches(store),
  };
}
