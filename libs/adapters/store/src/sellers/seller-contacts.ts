import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';

/** Whom people reach at a seller, by e-mail, by telephone or both. */
export interface SellerContact {
  /** UUID. */
  readonly id: string;
  /** UUID of its seller. */
  readonly connectionId: string;
  readonly purpose: 'sales' | 'billing' | 'technical' | 'other';
  /** A person or a team; null: an address that people share. */
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

/** Contacts at sellers in PostgreSQL; `by` is the id of the principal who enters or changes one. */
export function sellerContacts(store: Store) {
  return {
    /** False where the seller has `atMost` contacts. */
    add: (
      scope: TenantScope,
      contact: SellerContact,
      by: string,
      at: Instant,
      atMost: number,
    ): Promise<boolean> =>
      store.inTenant(scope, async (client) => {
        const { id, connectionId, purpose, name, email, phone } = contact;
        const values = [client.organizationId, id, connectionId, purpose, name, email, phone];
        return (await client.query(added, [...values, by, new Date(at), atMost])).rowCount > 0;
      }),
    /** Sets the members that are given. False where there is no such contact. */
    change: (
      scope: TenantScope,
      { id, ...members }: Pick<SellerContact, 'id'> & Partial<Omit<SellerContact, 'id' | 'connectionId'>>,
      by: string,
      at: Instant,
    ): Promise<boolean> =>
      store.inTenantModels(scope, async ({ seller_contact }) => {
        const where = { organization_id: scope.organizationId, id };
        const data = { ...members, set_by: by, changed_at: new Date(at) };
        return (await seller_contact.updateMany({ where, data })).count > 0;
      }),
    /** False where there is no such contact. */
    remove: (scope: TenantScope, id: string): Promise<boolean> =>
      store.inTenantModels(scope, async ({ seller_contact }) => {
        const where = { organization_id: scope.organizationId, id };
        return (await seller_contact.deleteMany({ where })).count > 0;
      }),
  };
}

export type SellerContacts = ReturnType<typeof sellerContacts>;

const added = `
  insert into seller_contact (organization_id, id, connection_id, purpose, name, email, phone, set_by, created_at)
  select $1::uuid, $2::uuid, $3::uuid, $4, $5, $6, $7, $8::uuid, $9
  where (select count(*) from seller_contact where organization_id = $1::uuid and connection_id = $3::uuid) < $10::int`;
