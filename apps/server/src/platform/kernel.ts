import type { ConnectionDirectory, Egress } from '@switchyard/sellers';
import type { auditLog, Organizations, Store } from '@switchyard/store';
import type { MetricsRegistry, Tracing } from '@switchyard/telemetry';
import type { AlarmRepository, IsStopped, PrincipalDirectory } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import type { Vault } from '@switchyard/vault';

/** What each capability makes its own things from: what the process has opened, and what several of them read. */
export interface Kernel {
  readonly store: Store;
  readonly egress: Egress;
  readonly isStopped: IsStopped;
  readonly vault: Vault;
  readonly connections: ConnectionDirectory;
  readonly principals: PrincipalDirectory;
  readonly organizations: Organizations;
  readonly audit: ReturnType<typeof auditLog>;
  readonly alarms: AlarmRepository;
  readonly metrics: MetricsRegistry;
  readonly tracing: Tracing;
  readonly clock: Clock;
  readonly newId: () => string;
  /** True in the local profile. */
  readonly isLocal: boolean;
  /** Public address, without a trailing slash; empty until the server listens. */
  readonly url: () => string;
  readonly onUnexpected: (error: unknown, where: string) => void;
}
