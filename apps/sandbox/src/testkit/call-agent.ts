import { randomUUID } from 'node:crypto';
import { Role, TaskState, type Task } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { AgentInfo } from '../agent/agent-info.js';
import { isObject, type JsonObject } from '../json.js';

interface AgentAnswer {
  readonly isError: boolean;
  readonly body: JsonObject;
  /** What the agent wrote as text, parsed or not. */
  readonly text?: string;
  readonly a2a?: { readonly taskId: string; readonly state: string };
}

interface CallOptions {
  /** Absent: the agent's own token. `null`: no credential. */
  readonly token?: string | null;
  readonly generation?: '1.0' | '0.3';
  readonly push?: { readonly url: string; readonly id: string };
}

/** Calls one agent through the official client of its protocol. */
export function callAgent(
  agent: AgentInfo,
  tool: string,
  args: JsonObject,
  options: CallOptions = {},
): Promise<AgentAnswer> {
  return agent.protocol === 'mcp' ? callMcp(agent, tool, args, options) : callA2a(agent, tool, args, options);
}

function headersOf(agent: AgentInfo, { token }: CallOptions): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token ?? agent.token}` };
}

export async function listTools(agent: AgentInfo): Promise<string[]> {
  const client = await mcpClient(agent, {});
  const { tools } = await client.listTools();
  await client.close();
  return tools.map((tool) => tool.name);
}

async function mcpClient(agent: AgentInfo, options: CallOptions): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: headersOf(agent, options) };
  const transport = new StreamableHTTPClientTransport(new URL(agent.agent_url), { requestInit });
  await client.connect(transport);
  return client;
}

async function callMcp(
  agent: AgentInfo,
  tool: string,
  args: JsonObject,
  options: CallOptions,
): Promise<AgentAnswer> {
  const client = await mcpClient(agent, options);
  try {
    const result = await client.callTool({ name: tool, arguments: args });
    const content = Array.isArray(result.content) ? (result.content as readonly unknown[])[0] : undefined;
    const text = isObject(content) && typeof content['text'] === 'string' ? { text: content['text'] } : {};
    const body = isObject(result.structuredContent) ? result.structuredContent : {};
    return { isError: result.isError === true, body, ...text };
  } finally {
    await client.close();
  }
}

async function a2aClient(agent: AgentInfo, options: CallOptions): ReturnType<ClientFactory['createFromUrl']> {
  const legacy = options.generation === '0.3';
  const withAuth: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headersOf(agent, options))) headers.set(name, value);
    if (legacy) headers.delete('A2A-Version');
    return fetch(input, { ...init, headers });
  };
  const compat = { fetchImpl: withAuth, ...(legacy ? { legacyCompat: { enabled: true } } : {}) };
  const cardResolver = new DefaultAgentCardResolver(compat);
  // The SDK declares its options as a class and wants any object.
  const transports = [new JsonRpcTransportFactory(compat)];
  const factory = new ClientFactory({ transports, cardResolver });
  if (!legacy) return factory.createFromUrl(new URL(agent.agent_url).origin);
  const card = await cardResolver.resolve(new URL(agent.agent_url).origin);
  const supportedInterfaces = card.supportedInterfaces.filter((each) =>
    each.protocolVersion.startsWith('0.3'),
  );
  return factory.createFromAgentCard({ ...card, supportedInterfaces });
}

async function callA2a(
  agent: AgentInfo,
  tool: string,
  args: JsonObject,
  options: CallOptions,
): Promise<AgentAnswer> {
  const client = await a2aClient(agent, options);
  const value = { skill: tool, parameters: args };
  const push = options.push
    ? { ...options.push, tenant: '', taskId: '', token: '', authentication: undefined }
    : undefined;
  const answer = await client.sendMessage({
    tenant: '',
    metadata: undefined,
    configuration: { acceptedOutputModes: [], taskPushNotificationConfig: push, returnImmediately: false },
    message: {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [{ content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: '' }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
  });
  if (!('status' in answer)) throw new Error('a task was expected');
  return readTask(answer);
}

/** Reads a task of an A2A agent again, by the id that the protocol gave it. */
export async function queryA2aTask(agent: AgentInfo, taskId: string): Promise<AgentAnswer> {
  const client = await a2aClient(agent, {});
  return readTask(await client.getTask({ tenant: '', id: taskId }));
}

function readTask(task: Task): AgentAnswer {
  const state = TaskState[task.status?.state ?? 0] ?? '';
  const parts = task.artifacts[0]?.parts ?? task.status?.message?.parts ?? [];
  const content = parts.at(-1)?.content;
  const data: unknown = content?.$case === 'data' ? content.value : undefined;
  return {
    isError: state === 'TASK_STATE_FAILED',
    body: isObject(data) ? data : {},
    a2a: { taskId: task.id, state: state.replace('TASK_STATE_', '').toLowerCase() },
  };
}
