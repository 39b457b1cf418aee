import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { OAuthStore } from '@switchyard/store';
import type { Clock, JsonObject } from '@switchyard/values';

/** How long a client without any consent is stored after its registration. */
export const unusedClientMs = 86_400_000;

interface ArtifactDeps {
  readonly store: OAuthStore;
  readonly clock: Clock;
  /** The error that refuses a code or a refresh token. */
  readonly invalidGrant: () => Error;
}

/** The storage of the authorization server. A secret id is stored as its hash alone, and removed from the stored value. */
export function artifactsOf({ store, clock, invalidGrant }: ArtifactDeps, model: string): Adapter {
  const read = async (
    found: ReturnType<OAuthStore['find']>,
    more: JsonObject = {},
  ): Promise<AdapterPayload | undefined> => {
    const artifact = await found;
    if (artifact === undefined) return undefined;
    const { payload, consumedAt } = artifact;
    const consumed = consumedAt === undefined ? {} : { consumed: Math.floor(consumedAt / 1000) };
    return { ...payload, ...more, ...consumed };
  };
  const revokeGrant = async (grantId: string): Promise<void> => {
    await store.revokeGrant(grantId);
    await store.destroy('Grant', grantId);
  };
  const find = (id: string) =>
    read(store.find(model, id, clock.now()), model === 'Client' ? {} : { jti: id });
  return {
    upsert: async (id, { jti: _secret, client_secret: _unused, ...payload }, expiresIn) => {
      const now = clock.now();
      const { grantId, uid, accountId, clientId } = payload;
      await store.upsert(
        {
          model,
          id,
          payload: payload as unknown as JsonObject,
          ...(typeof grantId === 'string' ? { grantId } : {}),
          ...(model === 'Session' && typeof uid === 'string' ? { uid } : {}),
          ...(model === 'Grant' && typeof accountId === 'string' ? { account: accountId } : {}),
          ...(typeof clientId === 'string' ? { clientId } : {}),
          expiresAt: now + (expiresIn === undefined || expiresIn === 0 ? unusedClientMs : expiresIn * 1000),
        },
        now,
      );
      // Each insert also removes expired rows, so that the table stays bounded.
      if (model === 'Client' || model === 'Interaction') await store.sweep(now);
    },
    find,
    findByUid: (uid) => read(store.findByUid(model, uid, clock.now())),
    findByUserCode: () => Promise.resolve(undefined),
    consume: async (id) => {
      if (await store.consume(model, id, clock.now())) return;
      // Of several concurrent uses one is the first; a second use means that somebody else has the secret.
      const found = await find(id);
      if (found?.grantId !== undefined) await revokeGrant(found.grantId);
      throw invalidGrant();
    },
    destroy: (id) => store.destroy(model, id),
    revokeByGrantId: (grantId) => store.revokeGrant(grantId),
  };
}
