import type { ApprovalStore, CreativeStore, ReadPorts } from '@switchyard/buys';
import type { LedgerStore } from '@switchyard/ledger';
import type { ConnectionDirectory } from '@switchyard/sellers';
import type { Metrics, Tracing } from '@switchyard/telemetry';
import type {
  DueWork,
  GovernanceCases,
  GovernedThings,
  Impairments,
  InboxWork,
  ReportWatches,
} from '@switchyard/store';

/** What the lag of the workers, and what waits, is published by. */
export type LagMetrics = Pick<
  Metrics,
  'inboxLagSeconds' | 'outboxLagSeconds' | 'jobs' | 'breaksOpen' | 'approvalsWaitingSeconds'
>;

/** The dependencies of the workers: the buys' ports, the inbox, the ledger, and which tenants have work. */
export interface WorkerDeps {
  readonly ports: ReadPorts;
  /** Libraries of creatives; absent in suites without them. */
  readonly creatives?: CreativeStore;
  /** Unsent answers to sellers' questions; absent in suites without them. */
  readonly approvals?: ApprovalStore;
  readonly connections: Pick<
    ConnectionDirectory,
    'list' | 'saveCapabilities' | 'takeAged' | 'capabilitiesFailed' | 'readSoon'
  >;
  readonly inbox: InboxWork;
  readonly ledger: LedgerStore<Parameters<InboxWork['mark']>[0]>;
  /** Cases of governance; absent in suites without them. */
  readonly governance?: GovernanceCases;
  /** What those cases are about, as it was read last; absent in suites without them. */
  readonly governedThings?: Pick<GovernedThings, 'end'>;
  /** Impairments of live buys. */
  readonly impairments: Impairments;
  /** Stores which reports are owed. */
  readonly watches?: Pick<ReportWatches, 'note'>;
  /** The tenants that have work, found without visiting each. */
  readonly due: DueWork;
  readonly metrics?: Pick<Metrics, 'inboxEvents' | 'ledgerEntries'> & LagMetrics;
  /** Absent: no traces. */
  readonly tracing?: Tracing;
  readonly onUnexpected: (error: unknown, where: string) => void;
}
