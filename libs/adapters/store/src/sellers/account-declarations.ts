import type { TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';
import { isSomebodyElse } from '../control/somebody-else.js';
import type { Store } from '../core/open-store.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import { storableJson } from '../core/storable.js';
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
      store.inTenant(scope, async (client) => {
        await client.query(
          `insert into account_declaration (organization_id, id, connection_id, client_id, state, account, preview, made_by, made_at)
           values ($1, $2, $3, $4, 'waiting', $5, $6, $7, $8)`,
          [
            client.organizationId,
            made.id,
            made.connectionId,
            made.clientId ?? null,
            storableJson(made.account),
            storableJson(made.preview),
            made.madeBy,
            new Date(at),
          ],
        );
      }),
    find: (scope: TenantScope, id: string): Promise<AccountDeclaration | undefined> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<Row>(
          `select id, connection_id, client_id, state, account, preview, made_by from account_declaration
           where organization_id = $1 and id = $2`,
          [client.organizationId, id],
        );
        return rows[0] && readDeclaration(rows[0]);
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
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(
          `update account_declaration set state = $3, decided_by = $4, decided_at = $5, outcome = $6
           where organization_id = $1 and id = $2 and state = 'waiting'`,
          [
            client.organizationId,
            id,
            to.state,
            to.by,
            new Date(at),
            to.outcome === undefined ? null : storableJson(to.outcome),
          ],
        );
        return rowCount === 1;
      }),
  };
}

export type AccountDeclarations = ReturnType<typeof accountDeclarations>;

const readDeclaration = rowReader<AccountDeclaration>()(
  'id, connection_id, client_id, state, account, preview, made_by',
);
