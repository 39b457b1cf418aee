import type { PrincipalAdmin } from '@switchyard/server';
import { err, ok } from '@switchyard/values';

/** Makes what it is asked for and remembers the question. There is nobody called `nobody`. */
export function specPrincipals(requested: unknown[]): PrincipalAdmin {
  const missing = err({ code: 'NOT_FOUND', message: 'There is no such principal.' } as const);
  const known = <T>(name: string, value: T, ...question: unknown[]) => {
    requested.push(question);
    return Promise.resolve(name === 'nobody' ? missing : ok(value));
  };
  const made = { principal_id: 'p1', token_id: 't1', expires_at: 'soon' };
  const bearer = { ...made, token: 'sy_new' };
  return {
    list: () =>
      Promise.resolve([
        {
          principal_id: 'p1',
          name: 'agency',
          kind: 'buyer' as const,
          permissions: {},
          transitional: false,
          legacy: false,
          created_at: 'now',
          tokens: [
            { token_id: 't1', scheme: 'bearer' as const, label: 'x', created_at: 'now', expires_at: 'soon' },
          ],
          identities: [],
        },
      ]),
    add: (_caller, draft) => {
      const { scheme, name, kind, permissions = {}, transitional, legacy } = draft;
      const secret =
        scheme === 'basic'
          ? { ...made, username: 'p1', password: 'sy_pass' }
          : scheme === 'none'
            ? {}
            : bearer;
      const view = { name, kind, permissions, transitional, legacy, created_at: 'now' };
      return known(
        name,
        { principal_id: 'p1', ...view, tokens: [], identities: [], ...secret },
        'add',
        draft,
      );
    },
    addToken: (_caller, name, draft) => known(name, bearer, 'addToken', name, draft),
    rotate: (_caller, name, query) =>
      known(name, { ...bearer, previous_until: 'later' }, 'rotate', name, query),
    revoke: (_caller, name) => known(name, { revoked: true }, 'revoke', name),
    revokeToken: (_caller, id) => known(id, { revoked: true }, 'revokeToken', id),
    addIdentity: (_caller, name, draft) =>
      known(name, { identity_id: 'i1', ...draft }, 'addIdentity', name, draft),
    removeIdentity: (_caller, id) => known(id, { removed: true }, 'removeIdentity', id),
  };
}
