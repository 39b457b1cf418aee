import type { ApprovalStore, CreativeStore, ReadPorts } from '@switchyard/buys';
import type { LedgerStore } from '@switchyard/ledger';
import type { ConnectionDirectory } from '@switchyard/sellers';
import type { Metrics } from '@switchyard/telemetry';
import type { DueWork, Impairments, InboxWork, ReportWatches, Store } from '@switchyard/store';

/** What the workers work with: the buys' ports, the inbox, the ledger, and which tenants have work. */
export interface WorkerDeps {
  readonly ports: ReadPorts;
  /** Libraries of creatives; absent where a suite has none. */
  readonly creatives?: CreativeStore;
  /** Answers to sellers' questions that are on their way; absent where a suite has none. */
  readonly approvals?: ApprovalStore;
  readonly store: Store;
  readonly connections: Pick<
    ConnectionDirectory,
    'list' | 'saveCapabilities' | 'takeAged' | 'capabilitiesFailed'
  >;
  readonly inbox: InboxWork;
  readonly ledger: LedgerStore<Parameters<InboxWork['mark']>[0]>;
  /** What hurts live buys. */
  readonly impairments: Impairments;
  /** Where it is kept which reports are owed. */
  readonly watches?: Pick<ReportWatches, 'note'>;
  /** Which tenants have work, without a look at any of them. */
  readonly due: DueWork;
  readonly metrics?: Pick<Metrics, 'inboxEvents' | 'ledgerEntries' | 'inboxLagSeconds' | 'outboxLagSeconds'>;
  readonly onUnexpected: (error: unknown, where: string) => void;
}
