import { setImmediate } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { z } from 'zod';
import { startedJob, waitsForApproval, type AnyRoute } from '../platform/routes/route.js';
import { takesKey } from '../platform/routes/once-per-key.js';
import { taskListings, type TaskListing } from '../platform/tasks/listing/task-listing.js';
import { changeData, changesQuery } from '../platform/routes/changes.controller.js';
import { describedInput, describedOutput, exampleOf } from '../platform/tasks/listing/task-schemas.js';
import { components, errorResponses, problemResponses } from '../platform/routes/openapi-errors.js';
import { adminRoutes, capabilities } from './routes.js';
import { eventHooks, eventName, eventSchema } from './openapi/event-hooks.js';
import { nameSchemas, type DocumentBody } from './openapi/named-schemas.js';
import { nounTexts, otherTags } from './openapi/noun-texts.js';
import { operationText } from './openapi/operation-text.js';
import { declaredSchemas, jsonBody, jsonSchemaOf, withExample, type Operation } from './openapi/operation.js';
import { sessionPaths } from './openapi/session-operations.js';

export type { Operation } from './openapi/operation.js';

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export interface OpenApi {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** The tags by capability, as reference pages read them. */
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly paths: Paths;
  readonly webhooks: Readonly<Record<string, JsonObject>>;
  readonly components: JsonObject;
}

/** OpenAPI 3.1 of `/v1`, made from the task table and the schemas that check admin requests. */
export function openApi(url: string, version: string): OpenApi {
  const steps = described();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return { ...head(url, version), ...step.value };
  }
}

let made: Promise<Omit<OpenApi, keyof ReturnType<typeof head>>> | undefined;

/** The same, made once for the process and a few operations at a time, so that other requests are answered meanwhile. */
export async function openApiInParts(url: string, version: string): Promise<OpenApi> {
  made ??= inParts();
  return { ...head(url, version), ...(await made) };
}

async function inParts(): NonNullable<typeof made> {
  const steps = described();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}

function head(url: string, version: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version,
      description:
        'One agent in front of many sellers. The same tasks are offered over MCP at /mcp and over A2A at /a2a.',
    },
    servers: [{ url }],
  } as const;
}

/** What does not depend on the address. A step is one operation. */
function* described(): Generator<undefined, Omit<OpenApi, keyof ReturnType<typeof head>>> {
  const paths: Record<string, Record<string, Operation>> = {};
  const add = (path: string, method: string, operation: Operation): undefined => {
    paths[path] = { ...paths[path], [method]: operation };
  };
  for (const task of taskListings())
    yield add(`/v1/tasks/${encodeURIComponent(task.name)}`, 'post', taskOperation(task));
  for (const row of adminRoutes) yield add(row.path, row.method, adminOperation(row));
  yield add('/v1/changes', 'get', changesOperation());
  for (const [path, methods] of Object.entries(sessionPaths()))
    for (const [method, operation] of Object.entries(methods)) yield add(path, method, operation);
  const bodies = bodiesOf(paths);
  yield;
  const given = { ...(components['schemas'] as JsonObject), ...declaredSchemas(), [eventName]: eventSchema };
  const { schemas, referenceOf } = nameSchemas(bodies, given);
  for (const body of bodies) body.content['schema'] = referenceOf.get(body) ?? body.schema;
  return {
    tags: Object.entries({ ...otherTags, ...nounTexts }).map(([name, description]) => ({
      name,
      description,
    })),
    'x-tagGroups': tagGroups(),
    paths,
    webhooks: eventHooks(),
    components: { ...components, schemas },
  };
}

/** The noun of a route: the first part of its path after `/v1`. */
const nounOf = (path: string): string => path.split('/')[2] ?? '';

function tagGroups(): OpenApi['x-tagGroups'] {
  const seen = new Set<string>();
  const groups = capabilities.map(({ name, routes }) => ({
    name,
    tags: [...new Set(routes.map(({ path }) => nounOf(path)))].filter((noun) => {
      const isNew = !seen.has(noun);
      seen.add(noun);
      return isNew;
    }),
  }));
  return [
    { name: 'protocol', tags: Object.keys(otherTags) },
    ...groups.filter(({ tags }) => tags.length > 0),
  ];
}

interface Place extends DocumentBody {
  /** Where the document has the schema. */
  readonly content: Record<string, unknown>;
}

/** Each JSON body of the document: of requests, and of answers that are no refusals. */
function bodiesOf(paths: Paths): readonly Place[] {
  return Object.values(paths).flatMap((methods) =>
    Object.entries(methods).flatMap(([method, { operationId, requestBody, responses }]) => {
      const place = (part: DocumentBody['part'], holder: unknown): readonly Place[] => {
        const content = isJsonObject(holder) ? holder['content'] : undefined;
        const json = isJsonObject(content) ? content['application/json'] : undefined;
        if (!isJsonObject(json) || !isJsonObject(json['schema'])) return [];
        const { schema } = json;
        return [{ operationId, method, part, schema, content: json }];
      };
      const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      return [...place('request', requestBody), ...answers.flatMap(([, answer]) => place('answer', answer))];
    }),
  );
}

function taskOperation(task: TaskListing): Operation {
  return {
    operationId: task.name.replaceAll('/', '_'),
    tags: ['tasks'],
    summary: task.title,
    description: `${task.description} With Accept: text/event-stream: one event "seller" per seller as it settles, then "result", or "error".${task.name === 'get_products' ? ' With text/event-stream;parts=products also one event "asked" with the sellers, and one event "products" per seller with what it offers.' : ''}`,
    requestBody: jsonBody(describedInput(task.inputSchema())),
    responses: {
      '200': {
        description: 'The answer. With errors of single sellers it is still an answer.',
        content: {
          'application/json': withExample(describedOutput(task.of), exampleOf(task.of)),
          'text/event-stream': { schema: { type: 'string' } },
        },
      },
      ...errorResponses,
    },
    security: task.access === 'credentials' ? [{ bearerAuth: [] }] : [{ bearerAuth: [] }, {}],
  };
}

function changesOperation(): Operation {
  const data = JSON.stringify(jsonSchemaOf(changeData, 'output')['properties']);
  return {
    operationId: 'list_changes',
    tags: ['changes'],
    summary: 'Follow what changes, as server-sent events',
    description: `The events are \`ready\` (the stream begins now; read your lists after it), \`change\` and \`reset\` (changes were missed: read everything again). The data of \`change\` has these members: ${data}. After a cut go on with the id of the last event, as \`Last-Event-ID\` or \`after\`.`,
    parameters: [
      ...queryParameters(changesQuery),
      { name: 'Last-Event-ID', in: 'header', schema: { type: 'string' } },
    ],
    responses: {
      '200': { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
      ...errorResponses,
      '429': refusedStream('This caller has as many streams open as it may have.'),
      '503': refusedStream('The process serves no more streams, or is stopping.'),
    },
    security: [{ bearerAuth: [] }],
  };
}

function refusedStream(description: string): JsonObject {
  return { ...(errorResponses['400'] as JsonObject), description };
}

function adminOperation(row: AnyRoute): Operation {
  const parameters = [
    ...pathParameters(row.path),
    ...queryParameters(row.query),
    ...(takesKey(row) ? [idempotencyKey] : []),
  ];
  return {
    operationId: row.id,
    tags: [nounOf(row.path)],
    summary: row.summary,
    description: operationText(row),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(row.body
      ? { requestBody: jsonBody(jsonSchemaOf(row.body), row.bodyExample as JsonObject | undefined) }
      : {}),
    ...(row.takesBytes === undefined ? {} : { requestBody: bytesBody }),
    responses: {
      [String(row.status ?? 200)]: { description: 'Done.', content: { 'application/json': answerOf(row) } },
      ...(row.mayWait === true && { '202': waiting() }),
      ...(row.mayStartJob === true && { '202': leftToJob() }),
      ...problemResponses,
    },
    security: [{ bearerAuth: [] }],
    ...(row.needs.includes('.') && { 'x-permission': row.needs }),
  };
}

const waiting = (): JsonObject => ({
  description: 'Another person must approve it first.',
  content: { 'application/json': withExample(jsonSchemaOf(waitsForApproval, 'output')) },
});

const leftToJob = (): JsonObject => ({
  description: 'A job does it: its address is in Location.',
  content: { 'application/json': withExample(jsonSchemaOf(startedJob, 'output')) },
});

function answerOf({ answer, example }: AnyRoute): JsonObject {
  return withExample(jsonSchemaOf(answer, 'output'), example as JsonObject | undefined);
}

const idempotencyKey: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A new UUID for each act, and the same one if the request is repeated: then the act is done once, and its answer is sent again for 24 hours.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_.:-]{16,255}$' },
};

function pathParameters(path: string): readonly JsonObject[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(schema: z.ZodObject | undefined): readonly JsonObject[] {
  if (schema === undefined) return [];
  const members = jsonSchemaOf(schema)['properties'] as Readonly<Record<string, JsonObject>>;
  return Object.entries(members).map(([name, { description, ...member }]) => ({
    name,
    in: 'query',
    ...(description !== undefined && { description }),
    schema: member,
  }));
}

const bytesBody: JsonObject = {
  required: true,
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
};
