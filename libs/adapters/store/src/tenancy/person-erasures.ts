import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';

/** Where the erasure in the audit goes on: acts are read from the newest to the oldest. */
export interface AuditPlace {
  readonly at: Instant;
  readonly id: number;
}

/** Erases what says who a person was; ids stay, so that journals and audit say what was done and still verify. */
export interface PersonErasures {
  /** Replaces the person's names in a part of the audit. Undefined: there is no more. Safe to repeat. */
  fromAudit(scope: TenantScope, principalId: string, before: AuditPlace): Promise<AuditPlace | undefined>;
  /** Everything else, in one transaction; the audit goes before it, because afterwards nobody knows the names. */
  everywhereElse(scope: TenantScope, principalId: string, at: Instant): Promise<void>;
}

/** Acts that one step reads. */
const actsAtOnce = 500;

export function personErasures(store: Store): PersonErasures {
  return {
    fromAudit: (scope, principalId, before) =>
      store.inTenant(scope, async (client) => {
        const names = await namesOf(client, principalId);
        const { rows } = await client.query<{ at: Date; id: string }>(
          'select * from erase_from_audit($1, $2, $3, $4, $5, $6, $7)',
          [
            ...[client.organizationId, names, patternOf(names), erasedName(principalId)],
            ...[new Date(before.at), before.id, actsAtOnce],
          ],
        );
        const [last] = rows;
        return last && { at: last.at.getTime(), id: Number(last.id) };
      }),
    everywhereElse: (scope, principalId, at) =>
      store.inTenant(scope, async (client) => {
        const names = await namesOf(client, principalId);
        const own = [client.organizationId, principalId];
        const named = [client.organizationId, patternOf(names), erasedName(principalId)];
        await eraseRows(client, principalId);
        for (const text of inTexts) await client.query(text, named);
        await client.query(
          `update invitation set email = $3, withdrawn_at = case when accepted_at is null then coalesce(withdrawn_at, $5) else withdrawn_at end
           where organization_id = $1 and (principal_id = $2 or email = any($4::text[]))`,
          [...own, erasedName(principalId), names, new Date(at)],
        );
        await client.query(
          `update control_request set holders_of_both = array(
             select case when h = any($2::text[]) then $3 else h end from unnest(holders_of_both) h)
           where organization_id = $1 and holders_of_both && $2::text[]`,
          [client.organizationId, names, erasedName(principalId)],
        );
        await client.models.principal.updateMany({
          where: { id: principalId },
          data: { name: erasedName(principalId) },
        });
      }),
  };
}

/** The job that will erase a person, or is at it. */
export async function erasureOf(
  { models, organizationId }: TenantSession,
  principalId: string,
): Promise<string | undefined> {
  const ofPerson = { input: { path: ['principal_id'], equals: principalId } };
  const job = await models.job.findFirst({
    where: {
      organization_id: organizationId,
      kind: 'erase_person',
      state: { in: ['waiting', 'running'] },
      ...ofPerson,
    },
    select: { id: true },
  });
  return job?.id;
}

export const erasedName = (principalId: string): string => `erased-${principalId}`;

/** The name of a person, and every address that was ever its own here. */
async function namesOf(client: TenantClient, principalId: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string | null }>(
    `select name from principal where organization_id = $1 and id = $2
     union select email from person_password where organization_id = $1 and principal_id = $2
     union select email from proved_address where organization_id = $1 and principal_id = $2
     union select email from invitation where organization_id = $1 and principal_id = $2
     union select unnest(array[email, user_name, display_name, external_id, nullif(given_name || ' ' || family_name, ' ')])
       from scim_user where organization_id = $1 and principal_id = $2`,
    [client.organizationId, principalId],
  );
  return rows
    .map(({ name }) => name)
    .filter((name) => name !== null)
    .filter((name) => name !== '');
}

/**
 * Finds the names in texts: an address as a whole, and any other name only where it is the whole of a text in JSON, so
 * that a short name is not found inside of other words.
 */
function patternOf(names: readonly string[]): string {
  const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const addresses = names.filter((name) => name.includes('@')).map(escaped);
  const others = names.filter((name) => !name.includes('@')).map(escaped);
  return [
    ...(addresses.length > 0 ? [`(?<![\\w.%+-])(?:${addresses.join('|')})(?![\\w-])`] : []),
    ...(others.length > 0 ? [`(?<=")(?:${others.join('|')})(?=")`] : []),
  ].join('|');
}

/** Rows that are of nobody but the person, and its name in decisions. */
async function eraseRows(client: TenantSession, principalId: string): Promise<void> {
  const { models, organizationId } = client;
  const own = [organizationId, principalId];
  await client.query(dropFactorSecrets, own);
  const where = { organization_id: organizationId, principal_id: principalId };
  await models.person_factor.deleteMany({ where });
  await models.person_passkey.deleteMany({ where });
  await models.person_password.deleteMany({ where });
  await models.proved_address.deleteMany({ where });
  await models.principal_identity.deleteMany({ where });
  await models.principal_token.deleteMany({ where });
  await models.scim_user.deleteMany({ where });
  await models.team_member.deleteMany({ where });
  await models.notice_setting.deleteMany({ where });
  await models.admin_answer.deleteMany({ where: { organization_id: organizationId, caller: principalId } });
  await client.query("select erase_from_decisions($1, $2::uuid, concat('erased-', $2::uuid))", own);
}

const dropFactorSecrets = `
  delete from credential c using person_factor f
  where f.organization_id = $1 and f.principal_id = $2 and c.organization_id = f.organization_id
    and c.credential_id in (f.totp_credential_id, f.totp_pending_id)`;

/** By `$2`, the pattern of the names; `$3` stands for them afterwards. */
const inTexts = [
  'delete from admin_answer where organization_id = $1 and body ~* $2 and $3::text is not null',
  `update notice set data = regexp_replace(data::text, $2, $3, 'gi')::jsonb where organization_id = $1 and data::text ~* $2`,
  `update control_request set act = regexp_replace(act::text, $2, $3, 'gi')::jsonb,
     based_on = regexp_replace(based_on::text, $2, $3, 'gi')::jsonb, reason = regexp_replace(reason, $2, $3, 'gi'),
     before = regexp_replace(before, $2, $3, 'gi'), after = regexp_replace(after, $2, $3, 'gi')
   where organization_id = $1 and concat(act::text, based_on::text, reason, before, after) ~* $2`,
  `update job set input = regexp_replace(input::text, $2, $3, 'gi')::jsonb where organization_id = $1 and input::text ~* $2`,
  `update refused_signature set principal_name = $3 where organization_id = $1 and principal_name ~* $2`,
];
