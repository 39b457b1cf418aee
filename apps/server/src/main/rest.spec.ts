import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { adminRoutes } from './routes.js';
import { HttpModule } from './http.module.js';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { OpenApi, Operation } from './openapi.js';
import { faultOf, openHttpHarness, taskReply } from './testkit/http-harness.js';

const http = await openHttpHarness();
afterAll(() => http.close());
beforeEach(() => {
  http.calls.length = 0;
  http.drafts.length = 0;
});

const described = async (): Promise<OpenApi> =>
  (await (await fetch(`${http.url}/openapi.json`)).json()) as OpenApi;

/** What is served: by the table of routes, and by controllers, read off the controllers themselves. */
function servedRoutes(): string[] {
  const { controllers = [] } = HttpModule.behind({} as never, { modules: [], ports: {} } as never);
  const inTable = adminRoutes.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, ':')}`);
  const inControllers = controllers.flatMap((controller) => {
    const base = Reflect.getMetadata(PATH_METADATA, controller) as string;
    const handlers = Object.getOwnPropertyDescriptors(controller.prototype);
    return Object.values(handlers).flatMap(({ value }) => {
      const method = (typeof value === 'function' && Reflect.getMetadata(METHOD_METADATA, value)) as
        | RequestMethod
        | undefined
        | false;
      if (method === undefined || method === false) return [];
      const path = `/${base}/${Reflect.getMetadata(PATH_METADATA, value) as string}`;
      const plain = path.replaceAll(/\/+/g, '/').replace(/\/$/, '').replaceAll(/:\w+/g, ':');
      return plain.startsWith('/v1') ? [`${RequestMethod[method].toLowerCase()} ${plain}`] : [];
    });
  });
  return [...inTable, ...inControllers];
}

const row = { seller: 'acme', status: 'answered', reason: 'ok', elapsed_ms: 12, items: 2 } as const;

describe('tasks over REST', () => {
  it('answers with the body and the status of the task', async () => {
    const errors = [{ code: 'RATE_LIMITED', message: 'Slow down.', retryAfter: 3 }];
    http.answerWith(() =>
      taskReply({ errors: [{ code: 'RATE_LIMITED' }] }, { httpStatus: 429, errors, isError: true }),
    );
    const answer = await http.post('/v1/tasks/get_products', { brief: 'x' });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '3']);
    expect(await answer.json()).toEqual({ errors: [{ code: 'RATE_LIMITED' }] });
  });

  it('reports seller by seller and the result last as a stream on request', async () => {
    http.answerWith((call) => {
      call.onSeller?.(row, 1, 1);
      return taskReply({ products: [] });
    });
    const answer = await http.post('/v1/tasks/get_products', {}, { accept: 'text/event-stream' });
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(await answer.text()).toBe(
      `event: seller\ndata: ${JSON.stringify({ ...row, settled: 1, total: 1 })}\n\nevent: result\ndata: {"products":[]}\n\n`,
    );
  });

  it('streams the sellers that are asked and the products of each before the result, to who asks for these parts alone', async () => {
    http.answerWith((call) => {
      call.onAsked?.(['acme']);
      call.onItems?.('acme', 'products', [{ product_id: 'acme:p1' }]);
      return taskReply({ products: [] });
    });
    const asked = async (accept: string): Promise<string> =>
      (await http.post('/v1/tasks/get_products', {}, { accept })).text();
    const result = 'event: result\ndata: {"products":[]}\n\n';
    expect(await asked('text/event-stream; parts=products')).toBe(
      `event: asked\ndata: {"sellers":["acme"]}\n\nevent: products\ndata: {"seller":"acme","products":[{"product_id":"acme:p1"}]}\n\n${result}`,
    );
    expect(await asked('text/event-stream')).toBe(result);
  });

  it('answers with JSON and the status of the task if the client accepts both', async () => {
    http.answerWith(() => taskReply({ errors: [] }, { isError: true, httpStatus: 422 }));
    for (const accept of [
      'application/json, text/event-stream',
      'text/event-stream;q=0.5, application/json',
    ]) {
      const answer = await http.post('/v1/tasks/get_products', {}, { accept });
      expect([answer.status, await answer.json()]).toEqual([422, { errors: [] }]);
    }
  });

  it('ends a stream with an error when the task failed', async () => {
    http.answerWith((call) => {
      call.onSeller?.(row, 1, 1);
      return taskReply({ errors: [] }, { isError: true, httpStatus: 422 });
    });
    const answer = await http.post('/v1/tasks/get_products', {}, { accept: 'text/event-stream' });
    expect(await answer.text()).toMatch(/event: error\ndata: {"errors":\[\]}\n\n$/);
  });

  it('answers an unknown task with 404, its field and a suggestion', async () => {
    const answer = await http.post('/v1/tasks/create_mediabuy', {});
    expect(answer.status).toBe(404);
    const fault = await faultOf(answer);
    expect(fault).toMatchObject({ code: 'NOT_FOUND', field: 'task' });
    expect(fault['suggestion']).toContain('create_media_buy');
  });

  it('reaches a task whose name has a slash', async () => {
    http.answerWith(() => taskReply({}));
    expect((await http.post('/v1/tasks/tasks%2Fget', { task_id: 'x' })).status).toBe(200);
    expect(http.calls[0]?.task).toBe('tasks/get');
  });
});

describe('administration', () => {
  const headers = () => ({ authorization: `Bearer ${http.token}` });
  const seller = { slug: 'acme', agent_url: 'http://127.0.0.1:9/mcp', protocol: 'mcp', dialect: 'ads' };

  it.each([
    ['sellers', { sellers: [{ slug: 'acme', state: 'live' }] }],
    ['buys', { media_buys: [] }],
    ['ledger/spend', { spend: [{ seller: 'acme', currency: 'USD', spend: '12.5' }] }],
    ['ledger/verify', { ok: true, entries: 3, head: 'ab' }],
    ['ledger/entries/mb_1', { entries: [{ entry_id: 'e1', kind: 'bought' }] }],
    ['ledger/export', { format: 'switchyard.ledger.export.1' }],
    ['credentials', { credentials: [{ credential_id: 'c1' }] }],
    ['instance', { sellers_live: 1 }],
    ['events', { received: 0 }],
  ])('answers GET /v1/%s', async (path, expected) => {
    const answer = await fetch(`${http.url}/v1/${path}`, { headers: headers() });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject(expected);
  });

  it('answers a missing media buy with 404', async () => {
    const answer = await fetch(`${http.url}/v1/buys/mb_9`, { headers: headers() });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ errors: [{ code: 'NOT_FOUND' }] });
  });

  it.each([
    ['buys?seller=a%00b', 400],
    ['audit?actor=%00', 400],
    ['buys/%00', 404],
    ['sellers/%00', 404],
  ])('refuses U+0000 in an address, which no database accepts: %s', async (path, status) => {
    const answer = await fetch(`${http.url}/v1/${path}`, { headers: headers() });
    expect(answer.status).toBe(status);
  });

  it('onboards a seller and never shows its token', async () => {
    const body = {
      ...seller,
      form: '3.0',
      token: 'seller-token',
      account: 'acc_1',
      jwks_uri: 'http://127.0.0.1:9/jwks.json',
      brand_json_url: 'http://127.0.0.1:9/brand.json',
    };
    const answer = await http.post('/v1/sellers', body, headers());
    expect(await answer.text()).not.toContain('seller-token');
    const { token, ...draft } = http.drafts[0]!;
    expect(draft).toEqual({
      slug: 'acme',
      agentUrl: 'http://127.0.0.1:9/mcp',
      protocol: 'mcp',
      dialect: 'ads',
      form: '3.0',
      account: { accountId: 'acc_1' },
      jwksUri: 'http://127.0.0.1:9/jwks.json',
      brandJsonUrl: 'http://127.0.0.1:9/brand.json',
    });
    expect(token?.useText((text) => text)).toBe('seller-token');
  });

  it.each([
    ['a slug with a colon', { ...seller, slug: 'a:b' }, 'slug'],
    ['an address that is none', { ...seller, agent_url: 'ftp://x' }, 'agent_url'],
    ['a protocol that is no name', { ...seller, protocol: 'SM TP' }, 'protocol'],
    ['an unknown member', { ...seller, passwort: 'x' }, 'passwort'],
  ])('refuses %s and names the field', async (_what, body, field) => {
    const answer = await http.post('/v1/sellers', body, headers());
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ errors: [{ code: 'VALIDATION_ERROR', field }] });
    expect(http.drafts).toHaveLength(0);
  });

  it('imports rows and names the row that is wrong', async () => {
    const good = await http.post('/v1/sellers/import', [seller, { ...seller, slug: 'globex' }], headers());
    expect(await good.json()).toEqual({
      sellers: [
        { slug: 'acme', state: 'live' },
        { slug: 'globex', state: 'live' },
      ],
    });
    const bad = await http.post('/v1/sellers/import', [seller, { ...seller, dialect: 'x' }], headers());
    expect(await bad.json()).toMatchObject({ errors: [{ field: '[1].dialect' }] });
  });

  it('rotates a credential with the secret from the body and keeps it out of the answer', async () => {
    const answer = await http.post('/v1/credentials/c1/rotate', { secret: 'new-one' }, headers());
    expect(await answer.text()).not.toContain('new-one');
    expect(http.rotated).toEqual([{ id: 'c1', secret: 'new-one' }]);
  });

  it.each([
    ['an outcome that is none', { outcome: 'perhaps', reason: 'x' }, 'outcome'],
    ['no reason', { outcome: 'made' }, 'reason'],
    ['an unknown member', { outcome: 'made', reason: 'x', force: true }, 'force'],
  ])('refuses to settle a leg with %s, and names the field', async (_what, body, field) => {
    const answer = await http.post('/v1/legs/l1/settle', body, headers());
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ errors: [{ code: 'VALIDATION_ERROR', field }] });
  });

  it('settles a leg with a person’s finding, and answers 404 for a missing one', async () => {
    const verdict = { outcome: 'made', seller_buy: 'mb_7', reason: 'I asked' };
    const answer = await http.post('/v1/legs/l1/settle', verdict, headers());
    expect([answer.status, await answer.json()]).toEqual([200, { leg_id: 'l1', task_status: 'completed' }]);
    expect(http.settled).toEqual([{ id: 'l1', ...verdict }]);
    expect((await http.post('/v1/legs/l9/settle', verdict, headers())).status).toBe(404);
  });

  it('rewraps without a body', async () => {
    const answer = await fetch(`${http.url}/v1/credentials/rewrap`, { method: 'POST', headers: headers() });
    expect(await answer.json()).toEqual({ rewrapped: 1, kms_key_id: 'local:2', left: 0 });
  });
});

/** A schema, or what it refers to. */
function shownOf({ components }: OpenApi, schema: JsonValue | undefined): JsonValue | undefined {
  const reference = isJsonObject(schema) ? schema['$ref'] : undefined;
  if (typeof reference !== 'string') return schema;
  const { schemas } = components;
  return isJsonObject(schemas) ? schemas[reference.slice('#/components/schemas/'.length)] : undefined;
}

const requestOf = (operation: Operation | undefined): JsonValue | undefined =>
  (operation?.requestBody as Described | undefined)?.content?.['application/json']?.schema;

interface Described {
  readonly content?: Readonly<Record<string, { readonly schema: JsonObject }>>;
}

describe('the description', () => {
  it('has every task with its schema', async () => {
    const api = await described();
    expect(api.openapi).toBe('3.1.0');
    const asked = requestOf(api.paths['/v1/tasks/get_products']?.['post']);
    expect(shownOf(api, asked)).toMatchObject({ type: 'object', properties: { brief: {} } });
  });

  it('has every route that is served under /v1, and none that is not', async () => {
    const api = await described();
    const listedRoutes = Object.entries(api.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path.replaceAll(/\{\w+\}/g, ':')}`),
    );
    const tasks = listedRoutes.filter((route) => route.startsWith('post /v1/tasks/'));
    const served = servedRoutes().filter((route) => !route.startsWith('post /v1/tasks/'));
    expect(tasks.length).toBeGreaterThan(15);
    expect(listedRoutes.filter((route) => !tasks.includes(route)).sort()).toEqual(served.sort());
  });

  it('has the schemas that check the requests, of bodies, queries and paths', async () => {
    const api = await described();
    expect(shownOf(api, requestOf(api.paths['/v1/sellers']?.['post']))).toMatchObject({
      properties: { slug: { pattern: expect.any(String) } },
    });
    expect(api.paths['/v1/events']?.['get']?.parameters).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'state',
          schema: expect.objectContaining({ enum: expect.any(Array) }),
        }),
      ]),
    );
    expect(api.paths['/v1/events/{id}']?.['get']?.parameters).toContainEqual(
      expect.objectContaining({ name: 'id', in: 'path', required: true }),
    );
  });

  it('names the members of every object, or says what it holds', async () => {
    const api = await described();
    const bare: string[] = [];
    const shown = (schema: JsonValue | undefined): JsonValue | undefined => shownOf(api, schema);
    const within = new Set<JsonValue | undefined>();
    const look = (written: JsonValue | undefined, at: string): void => {
      const schema = shown(written);
      if (within.has(schema)) return;
      within.add(schema);
      if (!isJsonObject(schema)) return;
      const { type, properties, items, additionalProperties, description, ...rest } = schema;
      const names = isJsonObject(properties) ? Object.entries(properties) : [];
      const others = isJsonObject(additionalProperties) ? additionalProperties : {};
      const isNamed = names.length > 0 || Object.keys(others).length > 0 || description !== undefined;
      const either = [rest['anyOf'], rest['oneOf'], rest['allOf']].filter((item) => Array.isArray(item));
      if (type === 'object' && !isNamed && either.length === 0) bare.push(at);
      for (const [name, member] of names) look(member, `${at}.${name}`);
      look(items, `${at}[]`);
      if (Object.keys(others).length > 0) look(others, `${at}{}`);
      for (const [index, value] of either.flat().entries()) look(value, `${at}|${String(index)}`);
    };
    const whole: string[] = [];
    for (const [path, methods] of Object.entries(api.paths))
      for (const [method, operation] of Object.entries(methods)) {
        const { requestBody, responses } = operation as unknown as {
          readonly requestBody?: Described;
          readonly responses: Readonly<Record<string, Described>>;
        };
        const sent = requestBody?.content?.['application/json']?.schema;
        const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
        look(sent, `${method} ${path} request`);
        for (const [, { content }] of answers) {
          const written = content?.['application/json']?.schema;
          const answer = written === undefined ? undefined : (shown(written) ?? {});
          if (isJsonObject(answer) && !('properties' in answer) && !('anyOf' in answer)) whole.push(path);
          look(answer, `${method} ${path} answer`);
        }
      }
    expect(bare).toEqual([]);
    // Words do for a member, and not for an answer as a whole.
    expect(whole).toEqual([]);
  });

  it('is readable as a page that loads nothing', async () => {
    const answer = await fetch(`${http.url}/docs`);
    const html = await answer.text();
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).toContain('get_products');
    expect(html).not.toMatch(/<script|src=|@import|https:\/\/[^"]*cdn/);
  });
});

describe('health', () => {
  it('is alive before it is ready', async () => {
    expect((await fetch(`${http.url}/healthz`)).status).toBe(200);
    const ready = await fetch(`${http.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: 'not_ready', parts: { database: 'starting' } },
    ]);
    expect(await (await fetch(`${http.url}/metrics`)).text()).toBe('up 1\n');
  });
});
