import type { ConnectionDirectory } from '@switchyard/sellers';
import type { RefusedSignature, RefusedSignatures } from '@switchyard/store';
import type { Alarm, AlarmBook, SignerDirectory, TenantScope } from '@switchyard/tenancy';
import { err, isoOf, ok, type Clock } from '@switchyard/values';
import type { AdminFailure } from '../application/admin.js';
import type { AlarmsAdmin, AlarmView, RefusedSignatureView } from '../application/alarms.js';

export interface AlarmsParts {
  readonly alarms: AlarmBook;
  readonly refusals: Pick<RefusedSignatures, 'list'>;
  readonly connections: Pick<ConnectionDirectory, 'byId' | 'keepKeySet'>;
  readonly signers: Pick<SignerDirectory, 'keepKeySet'>;
  readonly clock: Clock;
}

/** Behind `/v1/alarms` and `/v1/signatures/refused`. */
export function createAlarmsAdmin(parts: AlarmsParts): AlarmsAdmin {
  return {
    list: async (caller, ask) => (await parts.alarms.list(scopeOf(caller), ask)).map(alarmView),
    acknowledge: async (caller, alarmId, { reason, accepts }) => {
      const scope = scopeOf(caller);
      const alarm = await parts.alarms.find(scope, alarmId);
      if (alarm === undefined) return err(notFound);
      if (alarm.acknowledged !== undefined) return err(outrun);
      const refused = accepts ? await accept(parts, scope, alarm) : undefined;
      if (refused !== undefined) return err(refused);
      if (!(await parts.alarms.acknowledge(scope, alarmId, caller.name, reason))) return err(outrun);
      const ended = await parts.alarms.find(scope, alarmId);
      return ended === undefined ? err(notFound) : ok(alarmView(ended));
    },
    refusedSignatures: async (caller, ask) =>
      (await parts.refusals.list(scopeOf(caller), ask)).map(refusalView),
  };
}

const notFound: AdminFailure = { code: 'NOT_FOUND', message: 'No alarm of yours has this id.', field: 'id' };
const outrun: AdminFailure = { code: 'CONFLICT', message: 'Somebody has acknowledged this alarm already.' };

/** Takes a key set's new address over: only the one that the alarm names, and only where it still replaces the known. */
async function accept(
  parts: AlarmsParts,
  scope: TenantScope,
  { kind, detail }: Alarm,
): Promise<AdminFailure | undefined> {
  const { connection_id: connectionId, signer_id: signerId, known, named } = detail;
  if (kind === 'jwks_uri_changed' && typeof known === 'string' && typeof named === 'string') {
    if (typeof connectionId === 'string') return acceptOfSeller(parts, scope, connectionId, { known, named });
    if (typeof signerId === 'string') {
      const isKept = await parts.signers.keepKeySet(scope, signerId, { jwksUri: named, known });
      return isKept ? undefined : changedOf('signer');
    }
  }
  return {
    code: 'INVALID_REQUEST',
    message: 'An alarm of this kind has nothing to accept.',
    field: 'accept',
  };
}

async function acceptOfSeller(
  { connections, clock }: AlarmsParts,
  scope: TenantScope,
  id: string,
  { known, named }: { readonly known: string; readonly named: string },
): Promise<AdminFailure | undefined> {
  const connection = await connections.byId(scope, id);
  if (connection === undefined) return { code: 'NOT_FOUND', message: 'The seller was removed meanwhile.' };
  const kind = connection.pinnedJwksUri === undefined ? 'found' : 'pinned';
  const isKept = await connections.keepKeySet(scope, connection, { kind, known, named }, clock.now());
  return isKept ? undefined : changedOf('seller');
}

function changedOf(whose: 'seller' | 'signer'): AdminFailure {
  return {
    code: 'CONFLICT',
    message: `The key set of the ${whose} was changed or removed meanwhile. Acknowledge without accepting.`,
  };
}

function scopeOf({ organizationId }: { readonly organizationId: string }): TenantScope {
  return { organizationId };
}

function alarmView({ id, kind, subject, detail, firstAt, lastAt, count, acknowledged }: Alarm): AlarmView {
  return {
    alarm_id: id,
    kind,
    subject,
    detail,
    first_at: isoOf(firstAt),
    last_at: isoOf(lastAt),
    count,
    ...(acknowledged === undefined
      ? {}
      : {
          acknowledged_at: isoOf(acknowledged.at),
          acknowledged_by: acknowledged.by,
          reason: acknowledged.reason,
        }),
  };
}

function refusalView(refused: RefusedSignature & { readonly id: string }): RefusedSignatureView {
  const { keyid, agentUrl, principalName } = refused;
  return {
    refusal_id: refused.id,
    code: refused.code,
    method: refused.method,
    path: refused.path,
    refused_at: isoOf(refused.refusedAt),
    ...(keyid === undefined ? {} : { keyid }),
    ...(agentUrl === undefined ? {} : { agent_url: agentUrl }),
    ...(principalName === undefined ? {} : { principal: principalName }),
    is_stranger: refused.isStranger,
    steps: refused.steps,
  };
}
