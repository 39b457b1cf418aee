import type { TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';
import { isSomebodyElse } from '../control/somebody-else.js';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import { storableValue } from '../core/storable.js';
import { isOnePerson } from '../tenancy/one-person.js';

/** An account that we declare at a seller. Its id is the key under which the seller is asked, so no repetition makes two. */
export interface AccountDeclaration {
  /** UUID. */
  readonly id: string;
  /** UUID. */
  readonly connectionId: string;
  /** UUID: the client whose own login declares it. */
  readonly clientId?: string;
  readonly state: 'waiting' | 'sent' | 'withdrawn';
  /** What is declared, by the names of the wire. */
  readonly account: JsonObject;
  /** What the seller said that it would do. */
  readonly preview: JsonObject;
  /** UUID of a principal. */
  readonly madeBy: string;
}

/** Accounts that are declared at sellers once another person has approved them. */
export function accountDeclarations(store: Store) {
  return {
    add: (scope: TenantScope, made: Omit<AccountDeclaration, 'state'>, at: Instant): Promise<void> =>
      store.inTenantModels(scope, async ({ account_declaration }) => {
        await account_declaration.create({
          data: {
            organization_id: scope.organizationId,
            id: made.id,
            connection_id: made.connectionId,
            client_id: made.clientId ?? null,
            state: 'waiting',
            account: storableValue(made.account),
            preview: storableValue(made.preview),
            made_by: made.madeBy,
            made_at: new Date(at),
          },
        });
      }),
    find: (scope: TenantScope, id: string): Promise<AccountDeclaration | undefined> =>
      store.inTenantModels(scope, async ({ account_declaration }) => {
        const where = { organization_id: scope.organizationId, id };
        const row = await account_declaration.findFirst({ where });
        return row === null ? undefined : readDeclaration(row);
      }),
    /** Whether this principal may not approve what the maker has declared, because another person could. */
    wantsAnother: (scope: TenantScope, { madeBy }: AccountDeclaration, by: string): Promise<boolean> =>
      store.inTenant(
        scope,
        async (client) =>
          (await isOnePerson(client, by, madeBy)) &&
          (await isSomebodyElse(client, madeBy, { area: 'sellers', kind: 'approve', place: {} })),
      ),
    /** Ends one that waits. False if it was ended before. */
    end: (
      scope: TenantScope,
      id: string,
      to: { readonly state: 'sent' | 'withdrawn'; readonly by: string; readonly outcome?: JsonObject },
      at: Instant,
    ): Promise<boolean> =>
      store.inTenantModels(scope, async ({ account_declaration }) => {
        const { count } = await account_declaration.updateMany({
          where: { organization_id: scope.organizationId, id, state: 'waiting' },
          data: {
            state: to.state,
            decided_by: to.by,
            decided_at: new Date(at),
            ...(to.outcome !== undefined && { outcome: storableValue(to.outcome) }),
          },
        });
        return count === 1;
      }),
  };
}

export type AccountDeclarations = ReturnType<typeof accountDeclarations>;

const readDeclaration = rowReader<AccountDeclaration>()(
  'id, connection_id, client_id, state, account, preview, made_by',
);
