import type { TenantClient } from '../core/tenant-client.js';
import type { Models } from '../core/tenant-models.js';

/**
 * Whether the organization's rule of four eyes forbids a principal to decide what another requested
 * (docs/security/model.md#four-eyes): one person is known to act as both, because they are the same principal, the same
 * person, or one holds the other. A principal is held by whoever made it or was given a credential of it, and by who holds
 * that one. With the rule `strict` it is enough that one person holds both; with the rule `off` nothing is forbidden.
 */
export async function isOnePerson(
  client: TenantClient,
  principalId: string,
  other: string,
): Promise<boolean> {
  const { rows } = await client.query<{ readonly is_one: boolean }>(
    `with recursive ${holders('one', '$1')}, ${holders('other', '$2')},
       rule as (select four_eyes from organization where id = $3)
     select coalesce((select four_eyes from rule), 'known') <> 'off' and ($1::uuid = $2::uuid
         or exists (select 1 from one where ${isPersonOf('one.id', '$2')})
         or exists (select 1 from other where ${isPersonOf('other.id', '$1')})
         or exists (select 1 from one join other using (id)) and (select four_eyes from rule) = 'strict') as is_one`,
    [principalId, other, client.organizationId],
  );
  return rows[0]?.is_one === true;
}

/** Principals that can act as both: the two can be one person's, and no rule sees it. */
export async function holdersOfBoth(
  client: TenantClient,
  principalId: string,
  other: string,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const { rows } = await client.query<{ readonly id: string; readonly name: string }>(
    `with recursive ${holders('one', '$1')}, ${holders('other', '$2')}
     select p.id, p.name from one join other using (id) join principal p using (id) order by p.name`,
    [principalId, other],
  );
  return rows;
}

/** Records that `heldBy` made a principal, or was given a credential of it. */
export async function recordHolder(
  principal: Models['principal'],
  id: string,
  heldBy: string | undefined,
): Promise<void> {
  if (heldBy === undefined || heldBy === id) return;
  const where = { id, NOT: { held_by: { has: heldBy } } };
  await principal.updateMany({ where, data: { held_by: { push: heldBy } } });
}

/** A principal and all that hold it. */
export const holders = (name: string, principalId: string): string => `
  ${name}(id) as (
    select ${principalId}::uuid
    union
    select unnest(p.held_by) from principal p join ${name} on p.id = ${name}.id)`;

/**
 * Whether two principals are one person's: a name that a provider vouches for belongs to both, or the same e-mail
 * address. Removed accounts count too: they say whose the principal was.
 */
export const isPersonOf = (one: string, other: string): string => `(
  ${one} = ${other}
  or exists (
    select 1 from principal_identity a join principal_identity b using (organization_id, issuer, subject)
    where a.principal_id = ${one} and b.principal_id = ${other} and issuer <> '')
  or exists (select 1 from (${addressesOf(one)}) a join (${addressesOf(other)}) b using (email)))`;

/**
 * The addresses of a principal: the one that it signs in with, the one that it was invited by, and those that it has
 * proved. One that is not proved counts too: here it only takes a right away.
 */
function addressesOf(principalId: string): string {
  return `select email from person_password where principal_id = ${principalId}
   union all select lower(email) from invitation where principal_id = ${principalId}
   union all select email from proved_address where principal_id = ${principalId}`;
}
