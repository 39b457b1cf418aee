import type { Buy } from '../buys/buy.js';
import type { JsonObject } from '../json.js';

type TaskState = 'submitted' | 'working' | 'input-required' | 'completed' | 'failed' | 'canceled';

/** The registered address for a task's webhooks. `native` is the A2A channel, whose bodies are A2A tasks. */
export interface TaskPush {
  readonly channel: 'envelope' | 'native';
  readonly url: string;
  readonly operationId?: string;
  readonly token?: string;
  /** The HMAC secret, used instead of a signature. */
  readonly secret?: string;
}

/** A task that continues after its answer. Each change is a new value of it, written whole. */
export interface SellerTask {
  readonly taskId: string;
  readonly taskType:
    | 'create_media_buy'
    | 'update_media_buy'
    | 'activate_signal'
    | 'sync_creatives'
    | 'get_products';
  readonly state: TaskState;
  readonly message: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly completedAt?: number;
  readonly pushes: readonly TaskPush[];
  readonly context?: JsonObject;
  readonly progress?: {
    readonly percentage: number;
    readonly current_step: string;
    readonly total_steps: number;
  };
  /** The task's own answer, once completed. */
  readonly result?: JsonObject;
  readonly steps: readonly { readonly afterMs: number; readonly state: 'working' | 'completed' }[];
  readonly stepsDone: number;
  /** The buy that is made, or becomes active, when the task completes. */
  readonly buy?: Buy;
  /** The request for a change of a buy, which is applied after a person has reviewed it. */
  readonly change?: JsonObject;
  /** The signal deployments that go live when the task completes. */
  readonly activation?: { readonly segmentId: string; readonly targets: readonly JsonObject[] };
  /** The creatives that a person reviews, and the rows that the answer will have. */
  readonly creatives?: { readonly ids: readonly string[]; readonly rows: readonly JsonObject[] };
  /** The answer to a search for products, shown once it is completed. */
  readonly search?: JsonObject;
  /** What the task waits for: the current request, and the conversation that continues it. */
  readonly question?: { readonly args: JsonObject; readonly contextId: string; readonly body: JsonObject };
  /** The A2A task that carried the request. */
  readonly a2a?: { readonly taskId: string; readonly contextId: string };
}
