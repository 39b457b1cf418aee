import type { CreativeStore, ReadPorts } from '@switchyard/buys';
import type { Connection } from '@switchyard/sellers';
import type { AccountRepository, TenantScope } from '@switchyard/tenancy';
import type { JsonObject } from '@switchyard/values';
import type { PrincipalCaller, TaskReply } from '../platform/tasks/call/task-call.js';
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
  readonly deps: TestControllerDeps;
  readonly scope: TenantScope;
  readonly caller: PrincipalCaller;
  /** The sandbox seller with the tool. */
  readonly connection: Connection;
  readonly params: JsonObject;
  /** The account of the call, in the call's own form. */
  readonly account: JsonObject;
  readonly products: SeededProducts;
  readonly forced: ForcedTasks;
  readonly names: GivenNames;
  /** Calls the sandbox seller's own tool, for one scenario. */
  readonly callTool: (scenario: string, params: JsonObject) => Promise<JsonObject>;
  /** Calls one of our tasks as the caller: what it seeds is stored like everything else. */
  readonly call: (task: string, args: JsonObject) => Promise<TaskReply>;
}

/** One scenario. `needs` are the scenarios that the sandbox seller must support for it. */
export interface Scenario {
  readonly needs: readonly string[];
  run(control: TestControl): Promise<JsonObject>;
}
