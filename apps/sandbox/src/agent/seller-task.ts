import type { Buy } from '../buys/buy.js';
import type { JsonObject } from '../json.js';

export type TaskState = 'submitted' | 'working' | 'input-required' | 'completed' | 'failed' | 'canceled';

/** Where task news go, as registered. `native` is the A2A channel, whose bodies are A2A tasks. */
export interface TaskPush {
  readonly channel: 'envelope' | 'native';
  readonly url: string;
  readonly operationId?: string;
  readonly token?: string;
  /** By HMAC under this instead of a signature. */
  readonly secret?: string;
}

/** Long-running work that somebody waits for. Each change is a new value of it, written whole. */
export interface SellerTask {
  readonly taskId: string;
  readonly taskType: 'create_media_buy' | 'update_media_buy' | 'activate_signal' | 'sync_creatives';
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
  /** The buy that comes into being, or comes to life, when the task completes. */
  readonly buy?: Buy;
  /** The request for a change of a buy, which is carried out when a person has looked at it. */
  readonly change?: JsonObject;
  /** The signal deployments that go live when the task completes. */
  readonly activation?: { readonly segmentId: string; readonly targets: readonly JsonObject[] };
  /** The creatives that a person looks at, and the rows that the answer will have. */
  readonly creatives?: { readonly ids: readonly string[]; readonly rows: readonly JsonObject[] };
  /** What is waited for: the request as it stands, and the conversation that goes on with it. */
  readonly question?: { readonly args: JsonObject; readonly contextId: string; readonly body: JsonObject };
  /** The A2A task that carried the request. */
  readonly a2a?: { readonly taskId: string; readonly contextId: string };
}
