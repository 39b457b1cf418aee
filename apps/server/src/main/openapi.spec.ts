import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { kindNames } from '../notices/notice-kinds.js';
import { adminRoutes } from './routes.js';
import { openApi, openApiInParts, type Operation } from './openapi.js';
import { eventSchema } from './openapi/event-hooks.js';

interface Described {
  readonly content?: Readonly<Record<string, { readonly schema?: JsonObject }>>;
}

interface Answered {
  readonly content?: Readonly<Record<string, { readonly example?: unknown }>>;
}

const document = openApi('http://127.0.0.1', '1');
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
);
/** The JSON answer of a request that is done. */
const answerOf = ({ responses }: Operation): { readonly example?: unknown } | undefined =>
  Object.entries(responses as Readonly<Record<string, Answered>>).find(([status]) =>
    status.startsWith('2'),
  )?.[1].content?.['application/json'];

describe('the document of /v1', () => {
  it('has an example of every JSON answer', () => {
    const answers = operations.filter(([, operation]) => answerOf(operation) !== undefined);
    expect(answers.length).toBeGreaterThan(150);
    expect(
      answers.filter(([, operation]) => answerOf(operation)?.example === undefined).map(([name]) => name),
    ).toEqual([]);
  });

  it.each(adminRoutes.map((row) => [`${row.method} ${row.path}`, row] as const))(
    'has an example that the schema of %s accepts',
    (name, row) => {
      const example = answerOf(operations.find(([text]) => text === name)![1])?.example;
      expect(row.answer.safeParse(example).error?.issues ?? []).toEqual([]);
    },
  );

  it('has a value that looks like a real one for each text of an example: an id, an amount, a day, a name', () => {
    const found: string[] = [];
    const look = (value: unknown, name: string): void => {
      if (value === name.replaceAll('_', ' ')) found.push(name);
      if (typeof value === 'object' && value !== null)
        for (const [member, one] of Object.entries(value)) look(one, Array.isArray(value) ? name : member);
    };
    for (const [, operation] of operations) look(answerOf(operation)?.example, '');
    expect(found).toEqual([]);
  });

  it('is a valid document of OpenAPI 3.1 whose references all lead somewhere', async () => {
    const result = await new Validator().validate(
      JSON.parse(JSON.stringify(document)) as Parameters<Validator['validate']>[0],
    );
    expect([result.valid, result.errors]).toEqual([true, undefined]);
    const missing = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)]
      .map(([, name = '']) => name)
      .filter((name) => !Object.hasOwn(schemas, name));
    expect(missing).toEqual([]);
  });

  it('names the JSON of every request and answer, and writes no object twice', () => {
    const inline = operations.flatMap(([name, { requestBody, responses }]) =>
      [requestBody, ...Object.values(responses)].flatMap((holder) => {
        const schema = (holder as Described | undefined)?.content?.['application/json']?.schema;
        return schema === undefined || typeof schema['$ref'] === 'string' ? [] : [name];
      }),
    );
    expect(inline).toEqual([]);
    const seen = new Map<string, string>(
      Object.entries(schemas).map(([name, schema]) => [shapeOf(schema), name]),
    );
    const repeated: string[] = [];
    for (const [owner, schema] of Object.entries(schemas))
      walk(schema, (inner) => {
        if (inner === schema || Object.keys((inner['properties'] ?? {}) as object).length < 2) return;
        const other = seen.get(shapeOf(inner));
        if (other !== undefined) repeated.push(`${owner} repeats ${other}`);
        seen.set(shapeOf(inner), owner);
      });
    expect(repeated).toEqual([]);
  });

  it('has the schemas of schema-names.txt: a name that goes is a break for clients that were generated', () => {
    const names = `${Object.keys(schemas).sort().join('\n')}\n`;
    const file = join(dirname(fileURLToPath(import.meta.url)), 'openapi/schema-names.txt');
    if (process.env['SWITCHYARD_WRITE_NAMES'] === '1') writeFileSync(file, names);
    expect(names).toBe(readFileSync(file, 'utf8'));
  });

  it('is the same when it is made in parts', async () => {
    expect(JSON.stringify(await openApiInParts('http://127.0.0.1', '1'))).toBe(JSON.stringify(document));
  });

  it('describes every operation, every noun, and every kind of event that endpoints are sent', () => {
    expect(
      operations.filter(([, { description }]) => description === undefined).map(([name]) => name),
    ).toEqual(operations.filter(([, { tags }]) => tags.includes('session')).map(([name]) => name));
    const used = new Set(operations.flatMap(([, { tags }]) => tags));
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
    expect(document['x-tagGroups'].flatMap(({ tags }) => tags).sort()).toEqual([...used].sort());
    expect(Object.keys(document.webhooks)).toEqual(kindNames);
  });

  it('has an example of each event that its schema accepts', () => {
    for (const hook of Object.values(document.webhooks)) {
      const { requestBody } = (hook as unknown as { readonly post: Operation }).post;
      const content = requestBody?.['content'] as Readonly<Record<string, { readonly example: JsonObject }>>;
      const example = content['application/cloudevents+json']?.example;
      expect(Object.keys(example ?? {})).toEqual(Object.keys(eventSchema['properties'] as JsonObject));
      expect(JSON.stringify(example)).not.toMatch(/undefined|\[object/);
    }
  });

  it.each(
    adminRoutes
      .filter(({ body }) => body !== undefined)
      .map((row) => [`${row.method} ${row.path}`, row] as const),
  )('has an example of the request %s that its schema accepts', (name, row) => {
    const body = operations.find(([text]) => text === name)![1].requestBody as unknown as Answered;
    const example = body.content?.['application/json']?.example;
    expect(row.body?.safeParse(example).error?.issues ?? []).toEqual([]);
  });
});

const schemas = document.components['schemas'] as Readonly<Record<string, JsonObject>>;

const shapeOf = ({ description: _description, example: _example, ...schema }: JsonObject): string =>
  JSON.stringify(schema);

function walk(value: JsonValue, visit: (schema: JsonObject) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  if (!isJsonObject(value)) return;
  if (value['type'] === 'object') visit(value);
  for (const inner of Object.values(value)) walk(inner, visit);
}
