import type { CreativeStore, ReadPorts } from '@switchyard/buys';
import type { Connection } from '@switchyard/sellers';
import type { AccountRepository, TenantScope } from '@switchyard/tenancy';
import type { JsonObject } from '@switchyard/values';
import type { PrincipalCaller, TaskReply } from '../tasks/task-call.js';
import type { ForcedTasks } from './forced-tasks.js';
import type { GivenNames } from './given-names.js';
import type { SeededProducts } from './seeded-products.js';

export interface TestControllerDeps extends Pick<
  ReadPorts,
  'connections' | 'transport' | 'lease' | 'store' | 'clock' | 'ids'
> {
  readonly accounts: Pick<AccountRepository, 'accounts' | 'liveBuys' | 'hold' | 'apply'>;
  readonly creatives: Pick<CreativeStore, 'byIds' | 'observe'>;
}

/** One call of the tool, with everything that a scenario may need. */
export interface TestControl {
  readonly parts: TestControllerDeps;
  readonly scope: TenantScope;
  readonly caller: PrincipalCaller;
  /** The practice seller that rehearses. */
  readonly connection: Connection;
  readonly params: JsonObject;
  /** The account that the call names, as it names it. */
  readonly account: JsonObject;
  readonly products: SeededProducts;
  readonly forced: ForcedTasks;
  readonly names: GivenNames;
  /** The practice seller's own tool, for one scenario. */
  readonly ask: (scenario: string, params: JsonObject) => Promise<JsonObject>;
  /** A task of ours, as the caller would call it: what is seeded so stands where everything else stands. */
  readonly call: (task: string, args: JsonObject) => Promise<TaskReply>;
}

/** One scenario. `needs` are those that the practice seller has to know for it. */
export interface Scenario {
  readonly needs: readonly string[];
  run(rehearsing: TestControl): Promise<JsonObject>;
}
