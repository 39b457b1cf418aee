import type { JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { taskListings, type TaskListing } from '../task-listing.js';
import { rotateKeySchema, signerSchema } from './identity-requests.js';
import {
  identitySchema,
  principalSchema,
  principalTokenSchema,
  rotateTokenSchema,
} from './principal-requests.js';
import { delegationSchema } from './delegation-requests.js';
import { acknowledgeSchema } from './alarm-requests.js';
import { answerSchema, dismissApprovalSchema } from './approval-requests.js';
import { decisionSchema } from './event-requests.js';
import { importSchema, rotateSchema, sellerSchema, settleSchema, tokenSchema } from './admin-requests.js';

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

const pathName: JsonObject = { name: 'name', in: 'path', required: true, schema: { type: 'string' } };
const pathId: JsonObject = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

const queryText = (name: string): JsonObject => ({ name, in: 'query', schema: { type: 'string' } });

const adminRows: readonly {
  readonly path: string;
  readonly method: 'get' | 'post' | 'delete';
  readonly id: string;
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly parameters?: readonly JsonObject[];
}[] = [
  { path: '/v1/instance', method: 'get', id: 'instance', summary: 'What is running here' },
  {
    path: '/v1/events',
    method: 'get',
    id: 'list_events',
    summary: 'Webhooks received: how many, and the newest, by what became of them',
    parameters: [queryText('state'), queryText('seller'), queryText('limit')],
  },
  {
    path: '/v1/events/{id}',
    method: 'get',
    id: 'show_event',
    summary: 'One webhook with the verdict on it; with raw=true also its bytes',
    parameters: [pathId, queryText('raw')],
  },
  {
    path: '/v1/events/{id}/admit',
    method: 'post',
    id: 'admit_event',
    summary: 'Give a quarantined webhook its effect, with a reason',
    body: decisionSchema,
    parameters: [pathId],
  },
  {
    path: '/v1/events/{id}/dismiss',
    method: 'post',
    id: 'dismiss_event',
    summary: 'Put a quarantined webhook away for good, with a reason',
    body: decisionSchema,
    parameters: [pathId],
  },
  {
    path: '/v1/approvals',
    method: 'get',
    id: 'list_approvals',
    summary: 'What sellers ask people for, and what people at sellers are at',
    parameters: [queryText('state'), queryText('seller'), queryText('limit')],
  },
  {
    path: '/v1/approvals/{id}/answer',
    method: 'post',
    id: 'answer_approval',
    summary: 'Answer a question of a seller, once',
    body: answerSchema,
    parameters: [pathId],
  },
  {
    path: '/v1/approvals/{id}/dismiss',
    method: 'post',
    id: 'dismiss_approval',
    summary: 'Put a question away that cannot be answered from here, with a reason',
    body: dismissApprovalSchema,
    parameters: [pathId],
  },
  {
    path: '/v1/alarms',
    method: 'get',
    id: 'list_alarms',
    summary: 'What a person has to look at, newest first',
    parameters: [queryText('state')],
  },
  {
    path: '/v1/alarms/{id}/acknowledge',
    method: 'post',
    id: 'acknowledge_alarm',
    summary: 'End an alarm with a reason; with accept also take over what it is about',
    body: acknowledgeSchema,
    parameters: [pathId],
  },
  {
    path: '/v1/signatures/refused',
    method: 'get',
    id: 'list_refused_signatures',
    summary: 'Signed messages that were refused, with the verdict step by step',
    parameters: [queryText('code'), queryText('limit')],
  },
  {
    path: '/v1/delegations',
    method: 'get',
    id: 'list_delegations',
    summary: 'What the relay may pass on in whose name, newest first',
    parameters: [queryText('principal_id')],
  },
  {
    path: '/v1/delegations',
    method: 'post',
    id: 'grant_delegation',
    summary: 'Let sealed requests of a principal through to a seller',
    body: delegationSchema,
  },
  {
    path: '/v1/delegations/{id}',
    method: 'delete',
    id: 'revoke_delegation',
    summary: 'Take a delegation back, from the next request on',
    parameters: [pathId, queryText('reason')],
  },
  {
    path: '/v1/relay/{name}/address',
    method: 'get',
    id: 'relay_address',
    summary: 'Where to send a sealed request, what to sign, and where the seller may call back',
    parameters: [pathName, queryText('principal_id')],
  },
  {
    path: '/v1/custody',
    method: 'get',
    id: 'list_custody',
    summary: 'Relayed requests, refused ones included, newest first',
    parameters: [queryText('principal_id'), queryText('seller'), queryText('outcome'), queryText('limit')],
  },
  {
    path: '/v1/custody/{id}',
    method: 'get',
    id: 'show_custody',
    summary: 'One record as the chain of custody holds it',
    parameters: [pathId],
  },
  {
    path: '/v1/custody/export',
    method: 'get',
    id: 'export_custody',
    summary: 'A whole chain as one document that verifies by itself',
    parameters: [queryText('principal_id')],
  },
  {
    path: '/v1/custody/verify',
    method: 'get',
    id: 'verify_custody',
    summary: 'Walk a chain and say whether it is whole',
    parameters: [queryText('principal_id')],
  },
  { path: '/v1/sellers', method: 'get', id: 'list_sellers', summary: 'All sellers and their state' },
  {
    path: '/v1/sellers',
    method: 'post',
    id: 'add_seller',
    summary: 'Onboard a seller; answers once it is live or has failed',
    body: sellerSchema,
  },
  {
    path: '/v1/sellers/import',
    method: 'post',
    id: 'import_sellers',
    summary: 'Onboard many sellers; answers once each is live or has failed',
    body: importSchema,
  },
  { path: '/v1/buys', method: 'get', id: 'list_buys', summary: 'All media buys' },
  {
    path: '/v1/buys/{id}',
    method: 'get',
    id: 'show_buy',
    summary: 'One media buy with its part at each seller',
    parameters: [pathId],
  },
  {
    path: '/v1/legs/{id}/settle',
    method: 'post',
    id: 'settle_leg',
    summary: 'Settle a parked leg by what a person found out, with a reason',
    body: settleSchema,
    parameters: [pathId],
  },
  { path: '/v1/ledger/spend', method: 'get', id: 'ledger_spend', summary: 'Spend by seller and currency' },
  {
    path: '/v1/ledger/verify',
    method: 'get',
    id: 'ledger_verify',
    summary: 'Recompute the chain and all sums',
  },
  { path: '/v1/credentials', method: 'get', id: 'list_credentials', summary: 'Credentials, without secrets' },
  {
    path: '/v1/credentials/{id}/rotate',
    method: 'post',
    id: 'rotate_credential',
    summary: 'Put a new secret in the place of the old one',
    body: rotateSchema,
    parameters: [pathId],
  },
  {
    path: '/v1/credentials/rewrap',
    method: 'post',
    id: 'rewrap_credentials',
    summary: 'Wrap all data keys with the newest master key',
  },
  { path: '/v1/keys', method: 'get', id: 'list_keys', summary: 'Our own signing keys, public halves alone' },
  {
    path: '/v1/keys/rotate',
    method: 'post',
    id: 'rotate_key',
    summary: 'Publish the next signing key of a principal; it signs once everybody can know it',
    body: rotateKeySchema,
  },
  { path: '/v1/principals', method: 'get', id: 'list_principals', summary: 'All principals' },
  {
    path: '/v1/principals',
    method: 'post',
    id: 'add_principal',
    summary: 'Make a principal, with no more permissions than you have',
    body: principalSchema,
  },
  {
    path: '/v1/principals/{name}',
    method: 'delete',
    id: 'revoke_principal',
    summary: 'Switch a principal off, with all that it shows itself with',
    parameters: [pathName],
  },
  {
    path: '/v1/principals/{name}/tokens',
    method: 'post',
    id: 'add_token',
    summary: 'Hand out one more token of a principal, if wanted with fewer permissions',
    body: principalTokenSchema,
    parameters: [pathName],
  },
  {
    path: '/v1/principals/{name}/rotate',
    method: 'post',
    id: 'rotate_token',
    summary: 'Put a new token in the place of the old one, which stays good for a stated time',
    body: rotateTokenSchema,
    parameters: [pathName],
  },
  {
    path: '/v1/principals/{name}/identities',
    method: 'post',
    id: 'add_identity',
    summary: 'Let a certificate, or the tokens of an issuer for a subject, stand for a principal',
    body: identitySchema,
    parameters: [pathName],
  },
  {
    path: '/v1/identities/{id}',
    method: 'delete',
    id: 'remove_identity',
    summary: 'Stop taking a certificate, or the tokens of an issuer for a subject',
    parameters: [pathId],
  },
  {
    path: '/v1/tokens/{id}',
    method: 'delete',
    id: 'revoke_token',
    summary: 'Revoke one token',
    parameters: [pathId],
  },
  { path: '/v1/signers', method: 'get', id: 'list_signers', summary: 'Agents that sign as our principals' },
  {
    path: '/v1/principals/{name}/signers',
    method: 'post',
    id: 'add_signer',
    summary: 'Let an agent sign as a principal',
    body: signerSchema,
    parameters: [pathName],
  },
  {
    path: '/v1/signers/{id}',
    method: 'delete',
    id: 'remove_signer',
    summary: 'Stop taking the signatures of an agent',
    parameters: [pathId],
  },
  { path: '/v1/tokens', method: 'post', id: 'mint_token', summary: 'Hand out a token', body: tokenSchema },
];

function adminPaths(): Record<string, Record<string, Operation>> {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const row of adminRows) {
    const operation: Operation = {
      operationId: row.id,
      tags: ['administration'],
      summary: row.summary,
      ...(row.parameters ? { parameters: row.parameters } : {}),
      ...(row.body ? { requestBody: jsonBody(jsonSchemaOf(row.body)) } : {}),
      responses: {
        '200': {
          description: 'Done.',
          content: { 'application/json': { schema: { type: 'object' } } },
        },
        ...errorResponses,
      },
      security: [{ bearerAuth: [] }],
    };
    paths[row.path] = { ...paths[row.path], [row.method]: operation };
  }
  return paths;
}

function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest as JsonObject;
}

function jsonBody(schema: JsonObject): JsonObject {
  return { required: true, content: { 'application/json': { schema } } };
}

const errorOf = (description: string): JsonObject => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Errors' } } },
});

const errorResponses: JsonObject = {
  '400': errorOf('The request is malformed.'),
  '401': {
    description: 'No credential, or one that does not hold.',
    headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/AuthenticationError' } } },
  },
  '403': errorOf('The caller may not do this.'),
  '404': errorOf('There is no such thing, or it is not yours.'),
  '413': errorOf('The body is too large.'),
  '422': errorOf('The request does not fit its schema, or cannot be done as it stands.'),
};

const errorSchema: JsonObject = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    field: { type: 'string', description: 'Path of the offending member.' },
    suggestion: { type: 'string' },
  },
};

const components: JsonObject = {
  securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } },
  schemas: {
    Error: errorSchema,
    Errors: {
      type: 'object',
      required: ['errors'],
      properties: { errors: { type: 'array', items: { $ref: '#/components/schemas/Error' } } },
    },
    AuthenticationError: {
      type: 'object',
      required: ['error'],
      properties: { error: { $ref: '#/components/schemas/Error' } },
    },
  },
};
