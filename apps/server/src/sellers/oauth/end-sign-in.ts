import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { SignInDeps } from './sign-in-deps.js';

export type EndSignIn = (scope: TenantScope, connection: Pick<Connection, 'id'>) => Promise<void>;

/** Ends our sign-in at a seller that is removed: its tokens and our client's secret are revoked here. */
export async function endSignIn(
  { authorizations, vault, clock }: Pick<SignInDeps, 'authorizations' | 'vault' | 'clock'>,
  scope: TenantScope,
  { id }: Pick<Connection, 'id'>,
): Promise<void> {
  const known = await authorizations.find(scope, id);
  if (known === undefined) return;
  const { accessCredentialId, refreshCredentialId, clientCredentialId, dueAt: _, ...kept } = known;
  for (const one of [accessCredentialId, refreshCredentialId, clientCredentialId])
    if (one !== undefined) await vault.revoke(scope, one);
  const ended = { ...kept, state: 'revoked', code: 'revoked', words: 'We have ended this sign-in.' } as const;
  await authorizations.save(scope, ended, clock.now());
}
