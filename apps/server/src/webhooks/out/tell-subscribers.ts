import type { SubscriberStore } from '@switchyard/events';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import type { Lane } from '../../platform/lanes/lanes.js';
import { subscribersEveryMs } from '../../sellers/index.js';

/** What finds out whether this agent has changed, and whom to tell. */
export interface TellDeps {
  readonly store: SubscriberStore;
  readonly capabilitiesVersion: (scope: TenantScope) => Promise<string>;
  /** The address of this agent. */
  readonly agentUrl: () => string;
}

/** Compares what subscribers know of this agent with what it offers now, and tells those who know another version. */
export function subscriberLane(
  { store, capabilitiesVersion, agentUrl }: TellDeps,
  clock: Pick<Clock, 'now'>,
): Lane {
  return {
    name: 'telling subscribers',
    everyMs: subscribersEveryMs,
    due: () => ({ subscribers: clock.now() }),
    visit: async (scope) => {
      const version = await capabilitiesVersion(scope);
      await store.tell(scope, { version, agentUrl: agentUrl() }, clock.now());
    },
  };
}
