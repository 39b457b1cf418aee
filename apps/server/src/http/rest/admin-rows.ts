import type { z } from 'zod';
import { adminRoutes } from '../../admin/routes.js';
import { rotateKeySchema, signerSchema } from './identity-requests.js';
import {
  identitySchema,
  principalSchema,
  principalTokenSchema,
  rotateTokenSchema,
} from './principal-requests.js';

/** One administrative route as it is described. Its schemas are those that check its requests. */
export interface AdminRow {
  /** As OpenAPI writes it: members of the path in braces. */
  readonly path: string;
  readonly method: 'get' | 'post' | 'delete';
  readonly id: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answer?: z.ZodType;
  readonly example?: unknown;
  readonly status?: 201 | 202;
}

/** Every administrative route. A route that is served and not here fails the suite of the description. */
export const adminRows: readonly AdminRow[] = [
  ...adminRoutes,
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
  },
  {
    path: '/v1/principals/{name}/tokens',
    method: 'post',
    id: 'add_token',
    summary: 'Hand out one more token of a principal, if wanted with fewer permissions',
    body: principalTokenSchema,
  },
  {
    path: '/v1/principals/{name}/rotate',
    method: 'post',
    id: 'rotate_token',
    summary: 'Put a new token in the place of the old one, which stays good for a stated time',
    body: rotateTokenSchema,
  },
  {
    path: '/v1/principals/{name}/identities',
    method: 'post',
    id: 'add_identity',
    summary: 'Let a certificate, or the tokens of an issuer for a subject, stand for a principal',
    body: identitySchema,
  },
  {
    path: '/v1/identities/{id}',
    method: 'delete',
    id: 'remove_identity',
    summary: 'Stop taking a certificate, or the tokens of an issuer for a subject',
  },
  {
    path: '/v1/tokens/{id}',
    method: 'delete',
    id: 'revoke_token',
    summary: 'Revoke one token',
  },
  { path: '/v1/signers', method: 'get', id: 'list_signers', summary: 'Agents that sign as our principals' },
  {
    path: '/v1/principals/{name}/signers',
    method: 'post',
    id: 'add_signer',
    summary: 'Let an agent sign as a principal',
    body: signerSchema,
  },
  {
    path: '/v1/signers/{id}',
    method: 'delete',
    id: 'remove_signer',
    summary: 'Stop taking the signatures of an agent',
  },
];
