import { defined, isJsonObject, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { PrincipalCaller, TaskService } from '../platform/tasks/call/task-call.js';

/** What became of one buy of a change over several. */
export const outcome = z.strictObject({
  media_buy_id: z.string(),
  sellers: z.array(z.string()),
  status: z
    .string()
    .describe(
      'Of its update_media_buy; `refused` or `failed` with the reason of the seller. `not_asked`: budgets are raised ' +
        'only once every smaller one was accepted.',
    ),
  task_id: z.string().exactOptional(),
  message: z.string().exactOptional(),
});

export type Outcome = z.output<typeof outcome>;

/** A buy of a change over several: whose it is, and what `update_media_buy` is asked with. */
export interface BuyChange {
  readonly of: Pick<Outcome, 'media_buy_id' | 'sellers'>;
  readonly args: JsonObject;
  /** Amounts of `args` as decimal text, by JSON pointer. */
  readonly exact?: ReadonlyMap<string, string>;
  /** The same key changes the buy once. */
  readonly key: string;
}

/** Changes one buy as the caller itself does: with its permission, limits and approvals. */
export async function changeBuy(
  tasks: TaskService,
  caller: PrincipalCaller,
  { of, args, exact, key }: BuyChange,
): Promise<Outcome> {
  const reply = await tasks.call({
    endpoint: 'rest',
    task: 'update_media_buy',
    args: { adcp_version: '3.1', media_buy_id: of.media_buy_id, idempotency_key: key, ...args },
    exact: exact ?? new Map<string, string>(),
    caller,
    signal: new AbortController().signal,
  });
  const [error] = reply.errors;
  const refused = error ?? refusedIn(reply.body);
  return {
    ...of,
    status: error !== undefined ? 'failed' : refused !== undefined ? 'refused' : reply.status,
    ...defined({ task_id: reply.taskId, message: refused?.message }),
  };
}

/** The first seller of an answer that refused its part. */
function refusedIn({ sellers }: JsonObject): { readonly message: string } | undefined {
  if (!Array.isArray(sellers)) return undefined;
  const row = sellers.filter(isJsonObject).find(({ status }) => status === 'refused' || status === 'failed');
  return row === undefined
    ? undefined
    : { message: [row['seller'], row['reason']].filter((text) => typeof text === 'string').join(': ') };
}
