import type { JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { startedJob, waitsForApproval, type AnyRoute } from '../platform/routes/route.js';
import { takesKey } from '../platform/routes/once-per-key.js';
import { adminRoutes } from './routes.js';
import { taskListings, type TaskListing } from '../platform/tasks/listing/task-listing.js';
import {
  challengeRequest,
  resetRequest,
  resetView,
  challengeView,
  proof,
  secondStepView,
  sessionView,
  signedOutView,
} from '../people/sign-in/session.controller.js';
import { providerView } from '../people/sign-in/upstream.controller.js';
import { changeData, changesQuery } from '../platform/routes/changes.controller.js';
import { describedInput, describedOutput, exampleOf } from '../platform/tasks/listing/task-schemas.js';
import { exampleAnswer, valuesOf } from '../platform/routes/example-answer.js';
import { components, errorResponses, problemResponses } from '../platform/routes/openapi-errors.js';

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

/** OpenAPI 3.1 of `/v1`, made from the task table and the schemas that check admin requests. */
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
    paths: {
      ...taskPaths(),
      ...adminPaths(),
      '/v1/changes': { get: changesOperation() },
      ...sessionPaths(),
    },
    components: { ...components, schemas: { ...(components['schemas'] as JsonObject), ...named } },
  };
}

/** The rows of declared lists, by the names that operations refer to. */
const named: JsonObject = Object.fromEntries(
  adminRoutes
    .filter(({ declared }) => declared !== undefined)
    .flatMap(({ answer }) => Object.entries(z.toJSONSchema(answer, { io: 'output' }).$defs ?? {}))
    .map(([name, schema]) => [name, withReferences(schema as JsonObject)]),
);

function withReferences(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonObject;
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

function sessionPaths(): Record<string, Record<string, Operation>> {
  const described = (schema: z.ZodType, description: string): JsonObject => ({
    description,
    content: { 'application/json': withExample(jsonSchemaOf(schema, 'output')) },
  });
  const answer = (schema: z.ZodType, description: string): JsonObject => ({
    '200': described(schema, description),
    ...errorResponses,
  });
  const common = { tags: ['administration'], security: [] };
  const challenge = {
    ...common,
    operationId: 'make_passkey_challenge',
    summary: 'A challenge for an authenticator to sign in with',
    requestBody: jsonBody(jsonSchemaOf(challengeRequest, 'input')),
    responses: answer(challengeView, 'The challenge, good for five minutes and once.'),
  };
  const session = {
    get: {
      ...common,
      operationId: 'show_session',
      summary: 'Who is signed in with this browser',
      responses: answer(sessionView, 'The session of the cookie.'),
    },
    post: {
      ...common,
      operationId: 'open_session',
      summary:
        'Sign in with a browser: by a token, a sign-in link, or an e-mail address and its password, then a second factor, or by a passkey',
      requestBody: jsonBody(jsonSchemaOf(proof, 'input')),
      responses: {
        ...answer(sessionView, 'The session. Its cookie is in Set-Cookie.'),
        '202': described(secondStepView, 'The password is right, and a second factor is required.'),
      },
    },
    delete: {
      ...common,
      operationId: 'end_session',
      summary: 'Sign out',
      responses: answer(signedOutView, 'The session has ended.'),
    },
  };
  const reset = {
    ...common,
    operationId: 'request_new_password',
    summary: 'Ask for a mail with a link for a new password; the answer is the same for every address',
    requestBody: jsonBody(jsonSchemaOf(resetRequest, 'input')),
    responses: {
      '202': described(
        resetView,
        'A mail is on its way if somebody has proved the address and has a password.',
      ),
      ...errorResponses,
    },
  };
  const provider = {
    ...common,
    operationId: 'show_provider',
    summary: 'The OpenID Connect provider that people can sign in with, at /sign-in/oidc',
    responses: answer(providerView, 'What the provider is called, if there is one.'),
  };
  return {
    '/v1/session': session,
    '/v1/session/passkey': { post: challenge },
    '/v1/session/provider': { get: provider },
    '/v1/session/reset': { post: reset },
  };
}

function changesOperation(): Operation {
  const data = JSON.stringify(jsonSchemaOf(changeData, 'output')['properties']);
  return {
    operationId: 'list_changes',
    tags: ['administration'],
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

function adminPaths(): Record<string, Record<string, Operation>> {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const row of adminRoutes) paths[row.path] = { ...paths[row.path], [row.method]: adminOperation(row) };
  return paths;
}

function adminOperation(row: AnyRoute): Operation {
  const parameters = [
    ...pathParameters(row.path),
    ...queryParameters(row.query),
    ...(takesKey(row) ? [idempotencyKey] : []),
  ];
  return {
    operationId: row.id,
    tags: ['administration'],
    summary: row.summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(row.body ? { requestBody: jsonBody(jsonSchemaOf(row.body)) } : {}),
    ...(row.takesBytes === undefined ? {} : { requestBody: bytesBody }),
    responses: {
      [String(row.status ?? 200)]: { description: 'Done.', content: { 'application/json': answerOf(row) } },
      ...(row.mayWait === true && { '202': waiting() }),
      ...(row.mayStartJob === true && { '202': leftToJob() }),
      ...problemResponses,
    },
    security: [{ bearerAuth: [] }],
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

const writtenValues = valuesOf(adminRoutes.map(({ example }) => example));

function withExample(schema: JsonObject, example?: JsonObject): JsonObject {
  return { schema, example: example ?? exampleAnswer(schema, writtenValues, '', named) };
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
  return Object.entries(members).map(([name, member]) => ({ name, in: 'query', schema: member }));
}

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input'): JsonObject {
  const { $schema: _dialect, $defs: _named, ...rest } = z.toJSONSchema(schema, { io });
  return withReferences(rest as JsonObject);
}

function jsonBody(schema: JsonObject): JsonObject {
  return { required: true, content: { 'application/json': { schema } } };
}

const bytesBody: JsonObject = {
  required: true,
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
};
