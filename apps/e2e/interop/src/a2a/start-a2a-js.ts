import { createRequire } from 'node:module';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import type { Peer } from './peer.js';

/** The release of a2a-js that speaks both generations; this workspace itself has the older one, for the public SDK. */
const its = createRequire(new URL('../../../../sandbox/package.json', import.meta.url));
const serverPath = '@a2a-js/sdk/server/express';

type Json = Readonly<Record<string, unknown>>;
interface Bus {
  publish(event: Json): void;
  finished(): void;
}
interface Asked {
  readonly taskId: string;
  readonly contextId: string;
  readonly userMessage: Json;
}

interface Parts {
  readonly DefaultRequestHandler: new (...parts: readonly unknown[]) => object;
  readonly InMemoryTaskStore: new () => object;
  readonly InMemoryPushNotificationStore: new () => object;
  readonly AgentEvent: { task(task: Json): Json; statusUpdate(update: Json): Json };
}
interface InExpress {
  jsonRpcHandler(options: Json): unknown;
  readonly UserBuilder: { readonly noAuthentication: unknown };
}
interface App {
  use(path: string, handler: unknown): void;
  listen(port: number, host: string, done: () => void): Server;
}

/** States as a2a-js numbers them. */
type States = Readonly<Record<string, number>>;

/** A part of it as a module of its own: its other builds need what was written for them alone. */
const load = async (path: string): Promise<unknown> =>
  import(pathToFileURL(its.resolve(path).replace(/\.cjs$/, '.js')).href);

/** The server of a2a-js, whose agent ends each message at once; one that holds the word `wait` lasts until it is canceled. */
export async function startA2aJs(): Promise<Peer & { end(): void }> {
  const parts = (await load('@a2a-js/sdk/server')) as Parts;
  const { TaskState } = (await load('@a2a-js/sdk')) as { readonly TaskState: States };
  const express = (await load(serverPath)) as InExpress;
  const app = (createRequire(its.resolve(serverPath))('express') as () => App)();
  const server = await new Promise<Server>((resolve) => {
    const opening = app.listen(0, '127.0.0.1', () => resolve(opening));
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/a2a`;
  const handler = new parts.DefaultRequestHandler(
    cardOf(url),
    new parts.InMemoryTaskStore(),
    executor(parts.AgentEvent, TaskState),
    undefined,
    new parts.InMemoryPushNotificationStore(),
  );
  const { noAuthentication: userBuilder } = express.UserBuilder;
  app.use(
    '/a2a',
    express.jsonRpcHandler({ requestHandler: handler, userBuilder, legacyCompat: { enabled: true } }),
  );
  const send = (body: unknown) => JSON.stringify(body);
  return {
    url,
    token: 'none',
    open: async (call) => {
      const message = {
        messageId: 'open',
        role: 'ROLE_USER',
        parts: [{ data: { skill: 'wait' }, mediaType: 'application/json' }],
      };
      // It answers a blocking message at its end alone.
      const configuration = { returnImmediately: true };
      const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message, configuration } };
      return call(send(body));
    },
    end: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function executor(event: Parts['AgentEvent'], states: States): Json {
  const waiting = new Map<string, { readonly contextId: string; readonly end: () => void }>();
  const status = (state: string) => ({
    state: states[`TASK_STATE_${state}`],
    timestamp: new Date().toISOString(),
    message: undefined,
  });
  const part = {
    content: { $case: 'data', value: { products: [] } },
    metadata: undefined,
    filename: '',
    mediaType: 'application/json',
  };
  const result = { artifactId: 'result', name: 'result', description: '', parts: [part], extensions: [] };
  return {
    execute: async ({ taskId, contextId, userMessage }: Asked, bus: Bus) => {
      const waits = JSON.stringify(userMessage['parts']).includes('"wait"');
      const artifacts = waits ? [] : [{ ...result, metadata: undefined }];
      const state = status(waits ? 'SUBMITTED' : 'COMPLETED');
      bus.publish(
        event.task({ id: taskId, contextId, status: state, artifacts, history: [], metadata: undefined }),
      );
      if (waits)
        await new Promise<void>((resolve) => waiting.set(taskId, { contextId, end: () => resolve() }));
      bus.finished();
    },
    cancelTask: (taskId: string, bus: Bus) => {
      const open = waiting.get(taskId);
      const { contextId } = open ?? { contextId: '' };
      bus.publish(event.statusUpdate({ taskId, contextId, status: status('CANCELED'), metadata: undefined }));
      open?.end();
      return Promise.resolve();
    },
  };
}

function cardOf(url: string): Json {
  const address = { url, protocolBinding: 'JSONRPC', tenant: '' };
  return {
    name: 'a2a-js',
    description: 'The server of a2a-js',
    version: '1',
    supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({ ...address, protocolVersion })),
    capabilities: { streaming: true, pushNotifications: true, extensions: [] },
    defaultInputModes: ['application/json', 'text/plain'],
    defaultOutputModes: ['application/json'],
    skills: [],
    provider: undefined,
    securitySchemes: {},
    securityRequirements: [],
    signatures: [],
    documentationUrl: '',
    iconUrl: '',
  };
}
