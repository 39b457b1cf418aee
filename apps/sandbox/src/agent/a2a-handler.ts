import { randomUUID } from 'node:crypto';
import {
  Role,
  TaskState,
  type AgentCard,
  type Message,
  type Part,
  type SendMessageRequest,
  type Task,
} from '@a2a-js/sdk';
import { TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Agent, Caller } from './agent.js';
import { canceledTask } from './cancel-task.js';
import { isObject, objectOf, textOf, type JsonObject } from '../json.js';
import { interimData } from './native-task.js';
import type { Received } from './receive-call.js';
import { isLoopback } from '../webhooks/read-webhooks.js';
import type { SellerTask, TaskPush } from './seller-task.js';
import type { NativeCall } from './tool.js';

/** Runs one skill; the caller is already authenticated. */
export type RunSkill = (skill: string, args: JsonObject, native: NativeCall) => Promise<Received>;

const states = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  'input-required': TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
} as const;

const unsupported = (): never => {
  throw new UnsupportedOperationError('not offered by this agent');
};

/**
 * The handler of one caller's messages, for both generations of the protocol. Each message is a task; tasks that end
 * later are read from the agent's books, so they survive the process, and the others are gone once answered.
 */
export function a2aHandler(agent: Agent, card: AgentCard, caller: Caller, run: RunSkill): A2ARequestHandler {
  const send = async (request: SendMessageRequest): Promise<Task> => {
    const requested = skillOf(request.message);
    const continues = [...agent.books.tasks.values()].find(
      (each) => each.a2a !== undefined && each.a2a.taskId === request.message?.taskId,
    )?.a2a;
    const contextId = textOf(request.message?.contextId) ?? randomUUID();
    const task = continues ?? { taskId: randomUUID(), contextId };
    const push = pushOf(request);
    const received = await run(requested.skill, requested.args, { task, ...(push ? { push } : {}) });
    return taskOf(task, received);
  };
  return {
    getAgentCard: () => Promise.resolve(card),
    getAuthenticatedExtendedAgentCard: () => Promise.resolve(card),
    sendMessage: send,
    async *sendMessageStream(request) {
      yield { payload: { $case: 'task', value: await send(request) } };
    },
    getTask: (request) => {
      const found = [...agent.books.tasks.values()].find((each) => each.a2a?.taskId === request.id);
      if (!found || caller !== 'known') throw new TaskNotFoundError(request.id);
      return Promise.resolve(storedTask(found));
    },
    cancelTask: (request) => {
      const found = [...agent.books.tasks.values()].find((each) => each.a2a?.taskId === request.id);
      if (!found || caller !== 'known') throw new TaskNotFoundError(request.id);
      const canceled = canceledTask(agent, found);
      if (!canceled) throw new TaskNotCancelableError(request.id);
      agent.books.write({ task: canceled });
      return Promise.resolve(storedTask(canceled));
    },
    createTaskPushNotificationConfig: unsupported,
    getTaskPushNotificationConfig: unsupported,
    listTaskPushNotificationConfigs: unsupported,
    deleteTaskPushNotificationConfig: unsupported,
    resubscribe: unsupported,
    listTasks: unsupported,
  };
}

/** The skill and its parameters: `{skill, parameters}` in a data part; `input` is an older name of `parameters`. */
function skillOf(message: { readonly parts: readonly Part[] } | undefined): {
  readonly skill: string;
  readonly args: JsonObject;
} {
  for (const part of message?.parts ?? []) {
    const data: unknown = part.content?.$case === 'data' ? part.content.value : undefined;
    if (!isObject(data) || typeof data['skill'] !== 'string') continue;
    return { skill: data['skill'], args: objectOf(data['parameters']) ?? objectOf(data['input']) ?? {} };
  }
  return { skill: '', args: {} };
}

/** Release 1.0 has no member for an operation id here: it is the configuration's own id. */
function pushOf(request: SendMessageRequest): TaskPush | undefined {
  const config = request.configuration?.taskPushNotificationConfig;
  if (!config || !isLoopback(config.url)) return undefined;
  return {
    channel: 'native',
    url: config.url,
    ...(config.id === '' ? {} : { operationId: config.id }),
    ...(config.token === '' ? {} : { token: config.token }),
  };
}

function taskOf(task: NativeCall['task'], received: Received): Task {
  if (received.kind === 'text') return built(task, 'completed', textPart(received.text), true);
  if (received.kind !== 'answer') throw new Error('nothing to answer');
  const { status, body } = received.answer;
  return built(task, status, dataPart(body), status === 'completed' || status === 'failed');
}

function storedTask(task: SellerTask): Task {
  const final = task.state === 'completed' || task.state === 'failed' || task.state === 'canceled';
  const native = task.a2a ?? { taskId: task.taskId, contextId: '' };
  return built(native, task.state, dataPart(final ? (task.result ?? {}) : interimData(task)), final);
}

/** Final data is in the artifact, interim data in the status message. */
function built(task: NativeCall['task'], state: keyof typeof states, part: Part, final: boolean): Task {
  const message: Message = {
    messageId: randomUUID(),
    contextId: task.contextId,
    taskId: task.taskId,
    role: Role.ROLE_AGENT,
    parts: [part],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  const artifact = {
    artifactId: 'result',
    name: 'result',
    description: '',
    parts: [part],
    metadata: undefined,
    extensions: [],
  };
  return {
    id: task.taskId,
    contextId: task.contextId,
    status: {
      state: states[state],
      message: final ? undefined : message,
      timestamp: new Date().toISOString(),
    },
    artifacts: final ? [artifact] : [],
    history: [],
    metadata: undefined,
  };
}

function dataPart(value: JsonObject): Part {
  return {
    content: { $case: 'data', value },
    metadata: undefined,
    filename: '',
    mediaType: 'application/json',
  };
}

function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}
