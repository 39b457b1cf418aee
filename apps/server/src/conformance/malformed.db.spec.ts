import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isWholeMatrix } from '@switchyard/testing';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { requests, versioned } from './testkit/requests.js';
import { openStage, type Stage } from './testkit/stage.js';

/** Whatever comes in, what goes out is JSON with a code: no page, no stack, and no failure of ours. */
let stage: Stage;

beforeAll(async () => {
  const generous = '100000/1000000';
  stage = await openStage('mcp', {
    SWITCHYARD_RATE_READS: generous,
    SWITCHYARD_RATE_WRITES: generous,
    SWITCHYARD_RATE_INSERTS: '1000/1000',
    SWITCHYARD_RATE_FAILURES: generous,
    SWITCHYARD_RATE_PUBLIC: generous,
  });
});
afterAll(() => stage.close());

interface Response {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function send(
  path: string,
  body: Buffer | string,
  { method = 'POST', ...headers }: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const bytes = Buffer.from(body as string);
  return new Promise((resolve, reject) => {
    const requested = httpRequest(stage.at.url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${stage.at.token}`,
        'content-length': String(bytes.length),
        ...headers,
      },
    });
    requested.on('error', reject);
    requested.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          type: answer.headers['content-type'] ?? '',
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    requested.end(bytes);
  });
}

/** What is wrong with an answer, in words; nothing where it is a refusal with a code. */
function faultsOf({ status, type, text }: Response, mayBeEmpty = false): readonly string[] {
  if (mayBeEmpty && text === '') return status < 500 ? [] : [`status ${status}`];
  if (/<!doctype|<html|\bat .+:\d+:\d+\b|node_modules/i.test(text)) return [`it shows ${text.slice(0, 200)}`];
  if (!/^application\/(problem\+)?json/.test(type)) return [`it is ${type}`];
  let reported: unknown;
  try {
    reported = JSON.parse(text);
  } catch {
    return ['it is no JSON'];
  }
  const code = codeIn(reported);
  return [
    ...(status >= 500 ? [`status ${status}`] : []),
    ...(code === undefined ? [`no code in ${text.slice(0, 200)}`] : []),
    ...(code === 'INTERNAL_ERROR' ? ['it broke something'] : []),
  ];
}

/** The code of a refusal, wherever its transport has it. */
function codeIn(reported: unknown): string | undefined {
  if (!isJsonObject(reported)) return undefined;
  const error = reported['error'];
  const inner = isJsonObject(error) && isJsonObject(error['data']) ? error['data'] : reported;
  const result = reported['result'];
  const structured = isJsonObject(result) ? result['structuredContent'] : undefined;
  const artifact = at(result, 'artifacts', 0, 'parts', 0, 'data');
  for (const item of [inner, structured, artifact]) {
    const [first]: readonly JsonValue[] =
      isJsonObject(item) && Array.isArray(item['errors']) ? item['errors'] : [];
    if (isJsonObject(first) && typeof first['code'] === 'string') return first['code'];
  }
  return isJsonObject(error) && typeof error['code'] === 'string' ? error['code'] : undefined;
}

function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path) {
    if (Array.isArray(here) && typeof step === 'number') here = here[step];
    else if (isJsonObject(here) && typeof step === 'string') here = here[step];
    else return undefined;
  }
  return here;
}

const http = {
  mcp: '/mcp',
  a2a: '/a2a',
  rest: '/v1/tasks/create_media_buy',
  admin: '/v1/principals',
  delegations: '/v1/delegations',
  mint: '/v1/tokens',
} as const;

const bodies: readonly (readonly [what: string, body: Buffer | string])[] = [
  ['nothing', ''],
  ['blanks', ' \n\t '],
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '1'],
  ['a text', '"hello"'],
  ['an empty list', '[]'],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]'],
  ['half an object', '{"jsonrpc":"2.0",'],
  ['two documents', '{}{}'],
  ['a comment', '{/* no */}'],
  ['a comma too many', '{"a":1,}'],
  ['a number that is none', '{"a":NaN}'],
  ['a number beyond a double', '{"a":1e999}'],
  ['single quotes', "{'a':1}"],
  ['two byte order marks', '\ufeff\ufeff{"a":1}'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
  ['U+0000', '{"a":"\\u0000"}'],
  ['half a pair of surrogates', '{"a":"\\ud800"}'],
  ['the same member twice', '{"a":1,"a":2}'],
  ['lists in lists without end', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
  ['objects in objects without end', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
  ['a member with a name of a megabyte', `{"${'k'.repeat(1_000_000)}":1}`],
  ['too many members', `{${Array.from({ length: 210_000 }, (_, n) => `"${n}":1`).join(',')}}`],
  ['more than it takes', `{"a":"${'x'.repeat(3_000_000)}"}`],
  ['a form', 'a=1&b=2'],
  ['a page', '<html><body>hello</body></html>'],
  ['a prototype', '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'],
];

describe.each(Object.entries(http))('the endpoint %s', (_name, path) => {
  it.each(bodies)('refuses %s with a code', async (_what, body) => {
    expect(faultsOf(await send(path, body))).toEqual([]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each([
    'text/plain',
    'text/html',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/octet-stream',
    'application/jsonp',
    'nonsense',
    ',;=',
    '',
  ])('refuses a body with the content type %j', async (type) => {
    const reported = await send(path, '{}', { 'content-type': type });
    expect([reported.status, faultsOf(reported), codeIn(JSON.parse(reported.text))]).toEqual([
      415,
      [],
      'UNSUPPORTED_MEDIA_TYPE',
    ]);
  });

  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE'])(
    'refuses the method %s with a code',
    async (method) => {
      const reported = await send(path, method === 'TRACE' ? '' : '{}', { method });
      expect(faultsOf(reported)).toEqual([]);
      expect([404, 405]).toContain(reported.status);
    },
  );

  it('refuses a body with a content encoding', async () => {
    const reported = await send(path, '{}', { 'content-encoding': 'gzip' });
    expect([reported.status, faultsOf(reported)]).toEqual([415, []]);
  });

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Basic',
    'Basic ===',
    'Basic Og==',
    'Digest x',
    '\u00ff',
    'sy_x',
  ])('refuses the credential %j with one error object', async (authorization) => {
    const reported = await send(path, '{}', { authorization });
    const { error } = JSON.parse(reported.text) as { error?: JsonObject };
    expect([reported.status, error?.['code'], typeof error?.['message']]).toEqual([
      401,
      'AUTH_INVALID',
      'string',
    ]);
    expect(reported.text).not.toContain('sy_x');
  });
});

/** A whole call at an endpoint, as a document whose every member can be put out of shape. */
function wrapped(
  endpoint: 'mcp' | 'a2a' | 'rest',
  task: string,
  args: JsonObject,
): readonly [string, JsonObject] {
  if (endpoint === 'rest') return [`/v1/tasks/${task}`, args];
  if (endpoint === 'mcp')
    return ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: task, arguments: args } }];
  const parts = [{ kind: 'data', data: { skill: task, parameters: args } }];
  const message = { kind: 'message', messageId: 'm', role: 'user', contextId: 'c', parts };
  const configuration = { blocking: true, pushNotificationConfig: { url: 'https://buyer.example/hook' } };
  return ['/a2a', { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message, configuration } }];
}

type Path = readonly (string | number)[];

function pathsIn(value: JsonValue, here: Path = []): readonly Path[] {
  const below = Array.isArray(value)
    ? value.flatMap((item, index) => pathsIn(item, [...here, index]))
    : isJsonObject(value)
      ? Object.entries(value).flatMap(([name, item]) => pathsIn(item, [...here, name]))
      : [];
  return [here, ...below];
}

/** The document with one place replaced, or without it. */
function changed(
  value: JsonValue,
  [step, ...deeper]: Path,
  by: JsonValue | undefined,
): JsonValue | undefined {
  if (step === undefined) return by;
  if (Array.isArray(value))
    return value.flatMap((item, index) => {
      if (index !== step) return [item];
      const made = changed(item, deeper, by);
      return made === undefined ? [] : [made];
    });
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      if (name !== step) return [[name, item]];
      const made = changed(item, deeper, by);
      return made === undefined ? [] : [[name, made]];
    }),
  );
}

const deep = JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`) as JsonValue;
const unexpected: readonly (readonly [string, JsonValue | undefined])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', -1.5],
  ['true', true],
  ['a text', 'x'],
  ['an empty text', ''],
  ['a long text', 'x'.repeat(100_000)],
  ['a list', []],
  ['an object', {}],
  ['a list of lists', deep],
  ['a great number', 1e300],
];

const calls = [
  ['get_products', '3.1'],
  ['get_products', 'service'],
  ['create_media_buy', '3.1'],
  ['update_media_buy', '3.1'],
  ['sync_creatives', '3.1'],
  ['get_media_buy_delivery', '3.1'],
  ['activate_signal', 'service'],
  ['provide_performance_feedback', '3.1'],
  ['report_usage', '3.1'],
  ['sync_accounts', '3.1'],
  ['list_tasks', '3.1'],
  ['list_creatives', '2.5'],
] as const;

describe.each(calls)('a call of %s in the form %s', (task, form) => {
  it.each(['mcp', 'a2a', 'rest'] as const)(
    'at the endpoint %s with one malformed value is answered or refused with a code, and breaks nothing',
    async (endpoint) => {
      const full = requests[task]?.[form](stage.world) ?? {};
      const [path, whole] = wrapped(endpoint, task, versioned(form, 'adcp', full));
      // Members of the arguments mean the same at every endpoint: all of them at one, their places in the others.
      const places = pathsIn(whole).filter((place) => endpoint === 'rest' || place.length <= 5);
      const seen: unknown[] = [];
      // Each place in one way in the gate and else in some, so that neighbours are put out of shape in all of them
      // together; a change that is taken in all the same goes to every seller, so of those there are fewer.
      const isFew = endpoint === 'rest' && /^(create|update|report|provide)/.test(task);
      const ways = isFew || !isWholeMatrix ? [0] : [0, 1, 2];
      const tries = places.flatMap((place, index) =>
        ways.flatMap((turn) => {
          const [what, by] = unexpected[(index * ways.length + turn) % unexpected.length] ?? [];
          return what === undefined ? [] : [{ place, what, by }];
        }),
      );
      const next = async (): Promise<void> => {
        for (let item = tries.pop(); item !== undefined; item = tries.pop()) {
          const body = changed(whole, item.place, item.by);
          const fresh =
            isJsonObject(body) && 'idempotency_key' in body && item.place[0] !== 'idempotency_key';
          const sent = fresh ? { ...body, idempotency_key: randomUUID() } : body;
          const reported = await send(path, sent === undefined ? '' : JSON.stringify(sent));
          const isAnswer = reported.status === 200 && reported.type.startsWith('application/json');
          const faults = faultsOf(reported, reported.status === 202).filter(
            (fault) => !(isAnswer && fault.startsWith('no code')),
          );
          if (faults.length > 0) seen.push({ place: item.place.join('.'), what: item.what, faults });
        }
      };
      await Promise.all(Array.from({ length: 8 }, next));
      expect(seen).toEqual([]);
    },
  );
});
