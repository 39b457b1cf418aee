import type { CheckedRequest } from '@switchyard/server';
import { err, ok, type JsonObject } from '@switchyard/values';
import type { SpecAnswers } from './run-route.js';

const missing = err({ code: 'NOT_FOUND', message: 'There is no principal with this name.' } as const);
const at = '2026-11-21T12:00:00.000Z';
const until = '2026-11-21T13:00:00.000Z';

/** Makes what it is asked for and remembers the question: route, name or id, body. There is nobody called `nobody`. */
export function specPrincipals(requested: unknown[]): SpecAnswers {
  const known =
    (id: string, answer: (body: JsonObject, name: string) => JsonObject): SpecAnswers[string] =>
    ({ params, body }: CheckedRequest) => {
      const row = body as JsonObject | undefined;
      const { name = params['id'] ?? (row as { name?: string } | undefined)?.name ?? '' } = params;
      requested.push([id, ...Object.values(params), ...(row === undefined ? [] : [row])]);
      return name === 'nobody' ? missing : ok(answer(row ?? {}, name));
    };
  const made = { principal_id: 'p1', token_id: 't1', expires_at: until };
  const bearer = { ...made, token: 'sy_new' };
  const policy = {
    second_factor: 'approvers',
    second_factor_roles: [],
    recent_minutes: 15,
    idle_minutes: 480,
  };
  const addresses = { redirect_uri: 'https://s.example/back', sign_in_url: 'https://s.example/in' };
  const view = {
    principal_id: 'p1',
    name: 'agency',
    kind: 'buyer',
    permissions: {},
    transitional: false,
    legacy: false,
    created_at: at,
    identities: [],
  };
  const token = { token_id: 't1', scheme: 'bearer', label: 'x', created_at: at, expires_at: until };
  const secretOf = ({ scheme }: JsonObject): JsonObject => {
    if (scheme === 'none') return {};
    return scheme === 'basic' ? { ...made, username: 'p1', password: 'sy_pass' } : bearer;
  };
  return {
    list_principals: () => ok({ principals: [{ ...view, tokens: [token] }] }),
    add_principal: known('add_principal', (row, name) => ({
      ...view,
      name,
      kind: row['kind'] ?? 'buyer',
      tokens: [],
      ...secretOf(row),
    })),
    add_token: known('add_token', () => bearer),
    rotate_token: known('rotate_token', () => ({ ...bearer, previous_until: until })),
    revoke_principal: known('revoke_principal', () => ({ principal_id: 'p1', revoked: true })),
    restore_principal: known('restore_principal', () => ({ principal_id: 'p1', restored: true })),
    revoke_token: known('revoke_token', (_row, id) => ({ token_id: id, revoked: true })),
    add_identity: known('add_identity', (row) => ({ identity_id: 'i1', ...row })),
    show_sign_in_policy: known('show_sign_in_policy', () => policy),
    set_sign_in_policy: known('set_sign_in_policy', (row) => ({ ...policy, ...row, looser: true })),
    show_sign_in_provider: known('show_sign_in_provider', () => addresses),
    set_sign_in_provider: known('set_sign_in_provider', ({ client_secret, ...row }) => ({
      ...addresses,
      provider: {
        trust_email: false,
        groups_claim: 'groups',
        extra_scopes: [],
        ...row,
        has_secret: client_secret !== undefined,
      },
    })),
    erase_person: known('erase_person', () => ({ principal_id: 'p1', job_id: 'j1', due_at: until })),
    delete_organization: known('delete_organization', () => ({
      ...{ organization_id: 'o1', state: 'closed', requested_by: 'p1', closed_at: until, due_at: until },
    })),
    keep_organization: known('keep_organization', () => ({ organization_id: 'o1', state: 'open' })),
    show_scim: known('show_scim', () => ({ allowed: false, base_url: 'https://s.example/scim/v2' })),
    allow_scim: known('allow_scim', () => ({ allowed: true, base_url: 'https://s.example/scim/v2' })),
    add_scim_token: known('add_scim_token', () => ({
      ...{ token_id: 't1', token: 'sy_scim', base_url: 'https://s.example/scim/v2', expires_at: until },
    })),
    end_scim: known('end_scim', () => ({ allowed: false })),
    remove_sign_in_provider: known('remove_sign_in_provider', () => ({ removed: true })),
    remove_identity: known('remove_identity', (_row, id) => ({ identity_id: id, removed: true })),
  };
}
