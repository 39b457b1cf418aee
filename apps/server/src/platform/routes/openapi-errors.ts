import type { JsonObject } from '@switchyard/values';
import { httpErrorCodes, problemType } from '../http/http-answer.js';

const errorOf = (description: string): JsonObject => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Errors' } } },
});

/** Refusals of tasks outside the protocol's own answers. */
export const errorResponses: JsonObject = {
  '400': errorOf('The request is malformed.'),
  '401': {
    description: 'No credential, or one that is not valid.',
    headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/AuthenticationError' } } },
  },
  '403': errorOf('The caller does not have the permission.'),
  '404': errorOf('There is no such object, or it is not yours.'),
  '413': errorOf('The body is too large.'),
  '422': errorOf('The request does not match its schema, or cannot be done.'),
};

const problemOf = (description: string): JsonObject => ({
  description,
  content: { [problemType]: { schema: { $ref: '#/components/schemas/Problem' } } },
});

/** Refusals of admin routes: problem details of RFC 9457. */
export const problemResponses: JsonObject = {
  '400': problemOf('The request is malformed, or contains a credential where none is allowed.'),
  '401': {
    ...problemOf('No credential, or one that is not valid.'),
    headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
  },
  '403': problemOf('The caller does not have the permission.'),
  '404': problemOf('There is no such object, or it is not yours.'),
  '409': problemOf('It cannot be done in the current state.'),
  '413': problemOf('The body is too large.'),
  '422': problemOf('The request does not match its schema, or cannot be done.'),
  '429': {
    ...problemOf('There were too many requests of this caller.'),
    headers: { 'Retry-After': { schema: { type: 'integer' } } },
  },
  '500': problemOf('Something went wrong on our side.'),
  '503': problemOf('A required service does not answer: send the request again.'),
};

const errorSchema: JsonObject = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    field: { type: 'string', description: 'Path of the invalid member.' },
    suggestion: { type: 'string' },
  },
};

/** Components that the routes refer to. */
export const components: JsonObject = {
  securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } },
  schemas: {
    Error: errorSchema,
    Problem: {
      type: 'object',
      required: ['type', 'title', 'status', 'detail', 'code', 'error', 'errors'],
      properties: {
        type: { type: 'string', format: 'uri', description: 'One for each code.' },
        title: { type: 'string', description: 'The meaning of the code.' },
        status: { type: 'integer' },
        detail: { type: 'string', description: 'What was wrong with this request.' },
        instance: { type: 'string', format: 'uri', description: 'Of a request with X-Request-Id.' },
        code: { type: 'string', 'x-extensible-enum': [...httpErrorCodes] },
        error: { $ref: '#/components/schemas/Error' },
        errors: { type: 'array', items: { $ref: '#/components/schemas/Error' } },
      },
    },
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
