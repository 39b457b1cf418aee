import { randomUUID } from 'node:crypto';
import { Role, type Message, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { answerOf, faults } from './faults.js';
import {
  refuseCredential,
  startDouble,
  type Admit,
  type Handle,
  type SellerDouble,
} from './seller-double.js';

interface A2aSellerOptions {
  readonly version: '1.0' | '0.3';
  /** A URL in the card that is not the seller's own. */
  readonly cardPointsTo?: string;
  readonly admit?: Admit;
}

/** A seller made with the server side of the A2A SDK. It accepts any bearer token that starts with `token-`. */
export function startA2aSeller(options: A2aSellerOptions): Promise<SellerDouble> {
  return startDouble('/a2a', (url) => handler(url, options), toolIn, options.admit);
}

function handler(url: string, options: A2aSellerOptions): Handle {
  const card = options.version === '1.0' ? cardOf(url, options) : legacyCardOf(url, options);
  const seen: { authorization?: string | undefined } = {};
  const requests = new DefaultRequestHandler(
    cardForServer(url),
    new InMemoryTaskStore(),
    executor(seen),
    undefined,
    undefined,
    // The SDK's own sender would post to any address that a test names.
    { send: () => Promise.resolve() },
  );
  const modern = new JsonRpcTransportHandler(requests);
  const legacy = new LegacyJsonRpcTransportHandler(requests);
  return async (request, response, body) => {
    if (request.url === '/a2a/.well-known/agent-card.json') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(card));
      return;
    }
    const { authorization } = request.headers;
    if (authorization?.startsWith('Bearer token-') !== true) {
      refuseCredential(response);
      return;
    }
    const fault = faults[toolIn(body) ?? ''];
    if (fault !== undefined) {
      fault(response, body?.['id']);
      return;
    }
    seen.authorization = authorization;
    const isLegacy = request.headers['a2a-version'] !== '1.0';
    const context = new ServerCallContext({ requestedVersion: isLegacy ? '0.3' : '1.0' });
    const answer = await (isLegacy ? legacy : modern).handle(body ?? {}, context);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  };
}

function executor(seen: { readonly authorization?: string | undefined }): AgentExecutor {
  return {
    execute: (context, bus) => {
      const { skill, parameters } = dataIn(context);
      const { taskId, contextId } = context;
      const task = (state: TaskState, data?: unknown) => ({
        id: taskId,
        contextId,
        status: {
          state,
          message: state === TaskState.TASK_STATE_COMPLETED ? undefined : message(context, data),
          timestamp: undefined,
        },
        artifacts:
          state === TaskState.TASK_STATE_COMPLETED ? [artifact([{ progress: 'an interim part' }, data])] : [],
        history: [],
        metadata: undefined,
      });
      const answer = answerOf(skill, parameters, seen.authorization);
      switch (skill) {
        case 'message_only':
          bus.publish(AgentEvent.message(message(context, { said: 'in a message' })));
          break;
        case 'submit':
          bus.publish(
            AgentEvent.task(
              task(TaskState.TASK_STATE_SUBMITTED, { task_id: 'inner', push: pushSeen(context) }),
            ),
          );
          break;
        case 'no_data':
          bus.publish(AgentEvent.task({ ...task(TaskState.TASK_STATE_COMPLETED), artifacts: [] }));
          break;
        case 'refuse':
          bus.publish(AgentEvent.task(task(TaskState.TASK_STATE_FAILED, answer)));
          break;
        default:
          bus.publish(AgentEvent.task(task(TaskState.TASK_STATE_COMPLETED, answer)));
      }
      bus.finished();
      return Promise.resolve();
    },
    cancelTask: () => Promise.resolve(),
  };
}

function pushSeen(context: RequestContext): unknown {
  const { configuration } = context.request;
  return configuration?.taskPushNotificationConfig?.url ?? null;
}

function dataIn(context: RequestContext): { readonly skill: string; readonly parameters: unknown } {
  const content = context.userMessage.parts[0]?.content;
  if (content?.$case !== 'data') throw new Error('no data part');
  return content.value as { skill: string; parameters: unknown };
}

const part = (value: unknown): Message['parts'][number] => ({
  content: { $case: 'data', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

function artifact(values: readonly unknown[]) {
  return {
    artifactId: randomUUID(),
    name: '',
    description: '',
    parts: values.map(part),
    metadata: undefined,
    extensions: [],
  };
}

function message(context: RequestContext, data: unknown): Message {
  return {
    messageId: randomUUID(),
    contextId: context.contextId,
    taskId: context.taskId,
    role: Role.ROLE_AGENT,
    parts: data === undefined ? [] : [part(data)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

function cardOf(url: string, options: A2aSellerOptions) {
  const address = options.cardPointsTo ?? url;
  return {
    name: 'seller',
    description: 'A double',
    version: '1',
    supportedInterfaces: [{ url: address, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
    capabilities: { streaming: false, pushNotifications: true, extensions: [] },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: [{ id: 'echo', name: 'echo', description: '', tags: [] }],
  };
}

function legacyCardOf(url: string, options: A2aSellerOptions) {
  return {
    protocolVersion: '0.3.0',
    name: 'seller',
    description: 'A double',
    version: '1',
    url: options.cardPointsTo ?? url,
    preferredTransport: 'JSONRPC',
    capabilities: { streaming: false, pushNotifications: true },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: [{ id: 'echo', name: 'echo', description: '', tags: [] }],
  };
}

function cardForServer(url: string): ConstructorParameters<typeof DefaultRequestHandler>[0] {
  const both = ['1.0', '0.3'].map((protocolVersion) => ({
    url,
    protocolBinding: 'JSONRPC',
    protocolVersion,
    tenant: '',
  }));
  return {
    ...cardOf(url, { version: '1.0' }),
    supportedInterfaces: both,
    provider: undefined,
    securitySchemes: {},
    securityRequirements: [],
    signatures: [],
    skills: [],
  };
}

function toolIn(body: Record<string, unknown> | undefined): string | undefined {
  const params = body?.['params'] as { message?: { parts?: { data?: { skill?: string } }[] } } | undefined;
  return params?.message?.parts?.[0]?.data?.skill;
}
