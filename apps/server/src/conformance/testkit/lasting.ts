import type { Form } from '@switchyard/protocol';
import { startReceiver } from '@switchyard/testing';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import pg from 'pg';
import { answers, toolsOf } from './answers.js';
import { callAtEndpoint } from './task-endpoints.js';
import { openEndpoints } from './open-endpoints.js';
import { openRecordingSellers } from './recording-sellers.js';
import type { Script } from './recording-seller.js';
import { requests, versioned, type World } from './requests.js';
import { submittedAnswer } from './submitted.js';

/** The state of all tasks at the sellers of a stage. */
export type Phase = 'at once' | 'submitted' | 'working' | 'input-required' | 'completed' | 'failed';

/** The whole product with one seller per form. All sellers accept tasks, whose state the suite sets. */
export interface LastingStage {
  sellersAre(phase: Phase): void;
  /** Calls a task in a form, with a webhook address. Returns the answer. */
  call(task: string, form: Form): Promise<JsonObject>;
  /** Polls the sellers, and then reads the task in a form. */
  look(taskId: string, form: Form): Promise<JsonObject>;
  /** Returns the statuses of a task that the buyer's address received. */
  statuses(taskId: string): readonly string[];
  close(): Promise<void>;
}

export async function openLasting(): Promise<LastingStage> {
  let phase: Phase = 'at once';
  const opened = new Map<string, { readonly tool: string; readonly args: JsonObject }>();
  const script: Script = (seller, tool, args) => {
    if (tool === 'tasks/get') {
      const id = textOf(args['task_id']);
      const call = opened.get(id);
      if (call === undefined) return { errors: [{ code: 'REFERENCE_NOT_FOUND', message: 'No such task.' }] };
      const result = answers(seller, call.tool, call.args);
      return standing(id, call.tool, phase, isJsonObject(result) ? result : {});
    }
    const taken = phase === 'at once' ? undefined : submittedAnswer(seller, tool, args);
    if (taken === undefined) return answers(seller, tool, args);
    opened.set(textOf(taken['task_id']), { tool, args });
    return taken;
  };
  const sellers = await openRecordingSellers((seller) => [...toolsOf(seller), 'tasks/get'], script, 'mcp');
  const buyer = await startReceiver();
  const callback = `${buyer.url}/news`;
  const { at, ownerUrl, close } = await openEndpoints(sellers, 'mcp');
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  let requested = 0;
  return {
    sellersAre: (next) => {
      phase = next;
    },
    call: async (task, form) => {
      const before = phase;
      phase = 'at once';
      const world = await madeBuy(at);
      phase = before;
      requested += 1;
      const push = {
        url: callback,
        operation_id: `op-${requested}`,
      };
      const request = requests[task]?.[form](world) ?? {};
      return callAtEndpoint('rest', at, task, {
        ...versioned(form, 'adcp', request),
        push_notification_config: push,
      });
    },
    look: async (taskId, form) => {
      // Skips legs that another transaction has locked: two transactions that lock several legs could deadlock.
      await client.query(
        `update leg set next_poll_at = now() where ctid in (
           select ctid from leg where status in ('submitted', 'working', 'input-required') for update skip locked)`,
      );
      const request = requests['get_task']?.[form]({ ...nowhere, taskId }) ?? {};
      const args = versioned(form, 'adcp', request);
      return callAtEndpoint('rest', at, 'tasks/get', args);
    },
    statuses: (taskId) =>
      buyer.received
        .filter(({ body }) => body['task_id'] === taskId)
        .map(({ body: { status } }) => (typeof status === 'string' ? status : '')),
    close: async () => {
      await client.end();
      await close();
      await buyer.close();
    },
  };
}

/** Returns a seller's `tasks/get` answer for a task in this state. */
function standing(id: string, tool: string, phase: Phase, result: JsonObject): JsonObject {
  const time = '2026-11-21T00:00:00.000Z';
  const status = phase === 'at once' ? 'completed' : phase;
  const view = { task_id: id, task_type: tool, protocol: 'media-buy', domain: 'media-buy', status };
  const error = { code: 'POLICY_VIOLATION', message: 'Not for this brand.' };
  return {
    ...view,
    created_at: time,
    updated_at: time,
    ...(status === 'completed' ? { result } : {}),
    ...(status === 'failed' ? { error, result: { errors: [error] } } : {}),
  };
}

/** Creates a buy at all four sellers. */
async function madeBuy(at: { readonly url: string; readonly token: string }): Promise<World> {
  await callAtEndpoint('rest', at, 'get_products', requests['get_products']?.['2.5'](nowhere) ?? {});
  const made = await callAtEndpoint(
    'rest',
    at,
    'create_media_buy',
    requests['create_media_buy']?.['2.5'](nowhere) ?? {},
  );
  const packages = Array.isArray(made['packages']) ? made['packages'].filter(isJsonObject) : [];
  const ids = packages.flatMap(({ package_id: id }) => (typeof id === 'string' ? [id] : []));
  return {
    mediaBuyId: textOf(made['media_buy_id']),
    packageAt: Object.fromEntries(ids.map((id) => [id.split(':')[0] ?? '', id])),
    taskId: '',
  };
}

const nowhere: World = { mediaBuyId: '', packageAt: {}, taskId: '' };

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
