import type { JsonObject } from '@switchyard/values';
import type { z } from 'zod';
import {
  challengeRequest,
  challengeView,
  proof,
  resetRequest,
  resetView,
  secondStepView,
  sessionView,
  signedOutView,
} from '../../people/sign-in/session.controller.js';
import { providerView } from '../../people/sign-in/upstream.controller.js';
import { errorResponses } from '../../platform/routes/openapi-errors.js';
import { jsonBody, jsonSchemaOf, withExample, type Operation } from './operation.js';

/** The operations of signing in with a browser, and out. */
export function sessionPaths(): Record<string, Record<string, Operation>> {
  const described = (schema: z.ZodType, description: string): JsonObject => ({
    description,
    content: { 'application/json': withExample(jsonSchemaOf(schema, 'output')) },
  });
  const answer = (schema: z.ZodType, description: string): JsonObject => ({
    '200': described(schema, description),
    ...errorResponses,
  });
  const common = { tags: ['session'], security: [] };
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
