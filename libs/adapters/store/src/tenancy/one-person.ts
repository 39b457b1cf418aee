import type { TenantClient } from '../core/tenant-client.js';

/**
 * Whether two principals are known to belong to one person: an agent that a provider vouches for under the account that
 * the person signs in with, or two that were given the same e-mail address. Removed accounts count too: they say whose
 * the principal was.
 */
export async function isOnePerson(
  client: TenantClient,
  principalId: string,
  other: string,
): Promise<boolean> {
  if (principalId === other) return true;
  const { rows } = await client.query<{ readonly is_one: boolean }>(
    `select exists (
       select 1 from principal_identity a join principal_identity b using (organization_id, issuer, subject)
       where a.principal_id = $1 and b.principal_id = $2 and issuer <> '')
     or exists (
       select 1 from (${addressesOf('$1')}) a join (${addressesOf('$2')}) b using (email)) as is_one`,
    [principalId, other],
  );
  return rows[0]?.is_one === true;
}

/** The addresses of a principal: the one that it signs in with, and the one that it was invited by. */
const addressesOf = (principalId: string): string =>
  `select email from person_password where principal_id = ${principalId}
   union all select lower(email) from invitation where principal_id = ${principalId}`;
