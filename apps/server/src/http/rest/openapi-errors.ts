import type { JsonObject } from '@switchyard/values';

const errorOf = (description: string): JsonObject => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Errors' } } },
});

/** How every route may refuse. */
export const errorResponses: JsonObject = {
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

/** What the routes refer to. */
export const components: JsonObject = {
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
