import type { JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { taskListings, type TaskListing } from '../task-listing.js';
import { adminRows, type AdminRow } from './admin-rows.js';
import { components, errorResponses } from './openapi-errors.js';

export interface OpenApi {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: JsonObject;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly JsonObject[];
  readonly requestBody?: JsonObject;
  readonly responses: JsonObject;
  readonly security: readonly JsonObject[];
}

/** OpenAPI 3.1 of `/v1`, made of the task table and of the schemas that check the administrative requests. */
export function openApi(url: string, version: string): OpenApi {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version,
      description:
        'One agent in front of many sellers. The same tasks are offered over MCP at /mcp and over A2A at /a2a.',
    },
    servers: [{ url }],
    paths: { ...taskPaths(), ...adminPaths() },
    components,
  };
}

function taskPaths(): Record<string, Record<string, Operation>> {
  return Object.fromEntries(
    taskListings().map((task) => [
      `/v1/tasks/${encodeURIComponent(task.name)}`,
      { post: taskOperation(task) },
    ]),
  );
}

function taskOperation(task: TaskListing): Operation {
  return {
    operationId: task.name.replaceAll('/', '_'),
    tags: ['tasks'],
    summary: task.title,
    description: `${task.description} With Accept: text/event-stream: one event "seller" per seller as it settles, then "result", or "error".`,
    requestBody: jsonBody(task.inputSchema()),
    responses: {
      '200': {
        description: 'The answer. With errors of single sellers it is still an answer.',
        content: {
          'application/json': { schema: { type: 'object' } },
          'text/event-stream': { schema: { type: 'string' } },
        },
      },
      ...errorResponses,
    },
    security: task.access === 'credentials' ? [{ bearerAuth: [] }] : [{ bearerAuth: [] }, {}],
  };
}

function adminPaths(): Record<string, Record<string, Operation>> {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const row of adminRows) paths[row.path] = { ...paths[row.path], [row.method]: adminOperation(row) };
  return paths;
}

function adminOperation(row: AdminRow): Operation {
  const parameters = [...pathParameters(row.path), ...queryParameters(row.query)];
  return {
    operationId: row.id,
    tags: ['administration'],
    summary: row.summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(row.body ? { requestBody: jsonBody(jsonSchemaOf(row.body)) } : {}),
    responses: {
      [String(row.status ?? 200)]: { description: 'Done.', content: { 'application/json': answerOf(row) } },
      ...errorResponses,
    },
    security: [{ bearerAuth: [] }],
  };
}

function answerOf({ answer, example }: AdminRow): JsonObject {
  if (answer === undefined) return { schema: { type: 'object' } };
  const schema = jsonSchemaOf(answer, 'output');
  return example === undefined ? { schema } : { schema, example: example as JsonObject };
}

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
  return Object.entries(members).map(([name, member]) => ({ name, in: 'query', schema: member }));
}

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input'): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return rest as JsonObject;
}

function jsonBody(schema: JsonObject): JsonObject {
  return { required: true, content: { 'application/json': { schema } } };
}
