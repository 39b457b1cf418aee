import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { hashToken, newToken, type Principal } from '@switchyard/tenancy';
import { err, ok, type Clock } from '@switchyard/values';
import { FailureFilter } from '../../http/failure-filter.js';
import { fastifyAdapter } from '../../http/fastify-adapter.js';
import { HTTP_CONTEXT, type HttpContext } from '../../http/http-context.js';
import { ONCE_PER_KEY, type OncePerKey } from '../once-per-key.js';
import { RECORD_ACT, type RecordAct } from '../record-act.js';
import { WrittenAnswers } from '../written-answers.js';

/** A module of one capability behind the real stage, over real HTTP, with one caller. */
export interface StartedModule {
  /** The acts that were recorded, by the ids of their rows. */
  readonly acts: readonly string[];
  request(method: string, path: string, body?: object, token?: string): Promise<Response>;
  close(): Promise<void>;
}

@Module({})
class Surroundings {
  static of(providers: readonly Provider[], module: Type): DynamicModule {
    const all = [...providers, WrittenAnswers];
    return { module: Surroundings, global: true, imports: [module], providers: all, exports: all };
  }
}

/** Starts a module with the providers that it takes from the rest of the process. */
export async function startModule(
  module: Type,
  providers: readonly Provider[],
  { principal, clock }: { readonly principal: Principal; readonly clock: Clock },
): Promise<StartedModule> {
  const { text } = newToken(Buffer.alloc(32, 1));
  const hash = hashToken(text);
  const acts: string[] = [];
  const recordAct: RecordAct = (route, _request, run) => {
    acts.push(route.id);
    return run();
  };
  const oncePerKey: OncePerKey = (_route, _request, _caller, run) => run();
  const token = { id: principal.id, principalId: principal.id, scheme: 'bearer', hash, label: '' } as const;
  const match = { principal, token: { ...token, createdAt: 0, expiresAt: clock.now() + 3_600_000 } };
  const unused = (): never => {
    throw new Error('A row has asked for what only endpoints use.');
  };
  const context: HttpContext = {
    principals: { findByTokenHash: (shown) => Promise.resolve(shown.equals(hash) ? match : undefined) },
    identities: { find: () => Promise.resolve([]), prove: () => Promise.resolve() },
    issuedTokens: { verify: () => Promise.resolve(err('is of no issuer')) },
    readSession: () => Promise.resolve(ok(undefined)),
    signatures: { verify: () => Promise.resolve(err('request_signature_key_unknown')) },
    rates: { take: () => undefined, giveBack: () => undefined },
    isStopped: () => Promise.resolve(false),
    tasks: { call: unused },
    taskPush: { set: unused, list: unused, remove: unused },
    answeredTasks: { keep: unused, find: unused },
    ready: { check: unused },
    metrics: { contentType: '', render: unused },
    schemes: { issuers: [], certificates: false },
    certificateProxies: [],
    addressOf: () => '127.0.0.1',
    fromThisMachine: () => true,
    version: '0.0.0',
    mcpText: 'json',
    onUnexpected: (error) => {
      throw error;
    },
    url: () => '',
    clock,
  };
  const stage = [
    { provide: HTTP_CONTEXT, useValue: context },
    { provide: RECORD_ACT, useValue: recordAct },
    { provide: ONCE_PER_KEY, useValue: oncePerKey },
  ];
  const adapter = fastifyAdapter({ guard: () => undefined });
  const app = await NestFactory.create<NestFastifyApplication>(
    Surroundings.of([...stage, ...providers], module),
    adapter,
    { bodyParser: false, logger: false, abortOnError: false },
  );
  app.useGlobalFilters(new FailureFilter(context));
  await app.init();
  const url = await adapter.getInstance<FastifyInstance>().listen({ host: '127.0.0.1', port: 0 });
  return {
    acts,
    request: (method, path, body, shown = text) =>
      fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${shown}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    close: () => app.close(),
  };
}
