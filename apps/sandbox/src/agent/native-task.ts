import { randomUUID } from 'node:crypto';
import type { Agent } from './agent.js';
import { compact, type JsonObject } from '../json.js';
import type { OutEvent } from '../webhooks/out-event.js';
import type { SellerTask, TaskPush } from './seller-task.js';

/** The data of an A2A task while it is not final: in `status.message`. Final data is in its artifact. */
export function interimData(task: SellerTask): JsonObject {
  return compact({
    status: task.state,
    task_id: task.taskId,
    message: task.message,
    ...(task.progress ?? {}),
  });
}

/** A webhook on the A2A channel: the body is the A2A task itself, in the 0.3 wire format. */
export function nativeEvent(agent: Agent, task: SellerTask, push: TaskPush): OutEvent {
  const key = randomUUID();
  const final = task.state === 'completed' || task.state === 'failed';
  const timestamp = new Date(agent.now()).toISOString();
  const parts = [{ kind: 'data', data: final ? (task.result ?? {}) : interimData(task) }];
  const messageId = `${task.taskId}-${String(task.stepsDone)}`;
  const body = compact({
    kind: 'task',
    id: task.a2a?.taskId ?? task.taskId,
    contextId: task.a2a?.contextId,
    status: compact({
      state: task.state,
      timestamp,
      message: final ? undefined : { kind: 'message', role: 'agent', messageId, parts },
    }),
    artifacts: final ? [{ artifactId: 'result', name: task.taskType, parts }] : [],
    metadata: compact({
      idempotency_key: key,
      operation_id: push.operationId,
      task_id: task.taskId,
      context: task.context,
    }),
  });
  return {
    key,
    stream: `task ${task.taskId} ${push.url}`,
    url: push.url,
    contentType: 'application/json',
    body: JSON.stringify(body),
    createdAt: agent.now(),
    notificationType: task.state,
    ...(push.token === undefined ? {} : { token: push.token }),
    ...(task.buy ? { mediaBuyId: task.buy.mediaBuyId } : {}),
  };
}
