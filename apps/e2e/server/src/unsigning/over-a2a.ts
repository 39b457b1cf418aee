import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json } from '../harness/buy-request.js';
import type { RequestedBuy, Books } from './books.js';
import { tools } from './declared.js';
import { bodyOf, objectOf, respond } from './http-json.js';

export async function overA2a(
  books: Books,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (isCard(request)) return respond(response, cardOf(books.url));
  const { id, method, params } = await bodyOf(request);
  const reply = (result: Json): void => respond(response, { jsonrpc: '2.0', id, result });
  if (method === 'tasks/get') {
    books.count('tasks/get');
    const wanted = objectOf(params)['id'];
    const requested = books.requested.find(({ taskId }) => taskId === wanted);
    if (requested !== undefined) return reply(nativeTask(books, requested));
    return respond(response, { jsonrpc: '2.0', id, error: { code: -32001, message: 'no such task' } });
  }
  const { message, configuration } = objectOf(params);
  const parts = objectOf(message)['parts'];
  const { skill, parameters } = objectOf(objectOf(Array.isArray(parts) ? parts[0] : undefined)['data']);
  const task = String(skill);
  books.count(task);
  if (task === 'create_media_buy') {
    const native = objectOf(objectOf(configuration)['pushNotificationConfig']);
    return reply(nativeTask(books, books.take(objectOf(parameters), native)));
  }
  reply(a2aTask(randomUUID(), 'completed', books.answer(task, objectOf(parameters))));
}

/** Returns the current native task of a buy, for posts and for polls. */
function nativeTask(books: Books, requested: RequestedBuy): Json {
  return books.isDone(requested)
    ? a2aTask(requested.taskId, 'completed', books.resultOf(requested))
    : a2aTask(requested.taskId, 'submitted', { status: 'submitted', task_id: requested.taskId });
}

export function a2aTask(id: string, state: string, data: Json): Json {
  const parts = [{ kind: 'data', data }];
  const isEnd = state === 'completed' || state === 'failed';
  const message = { kind: 'message', role: 'agent', messageId: randomUUID(), parts };
  return {
    kind: 'task',
    id,
    contextId: `context-${id}`,
    status: { state, timestamp: new Date().toISOString(), ...(isEnd ? {} : { message }) },
    artifacts: isEnd ? [{ artifactId: 'result', parts }] : [],
  };
}

function cardOf(url: string): Json {
  return {
    protocolVersion: '0.3.0',
    name: 'unsigning',
    description: 'It signs nothing.',
    version: '1',
    url,
    preferredTransport: 'JSONRPC',
    capabilities: { streaming: false, pushNotifications: true },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: tools.map((name) => ({ id: name, name, description: name, tags: [] })),
  };
}

export function isCard(request: IncomingMessage): boolean {
  return request.url?.endsWith('agent-card.json') === true;
}
