import type { ConnectionDirectory } from '@switchyard/sellers';
import { lists } from '@switchyard/store';
import {
  alarmKinds,
  type Alarm,
  type AlarmRepository,
  type SignerDirectory,
  type TenantScope,
} from '@switchyard/tenancy';
import { err, isoOf, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { jsonObject, reasonText } from '../platform/routes/fields.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';

interface AlarmsDeps extends ListDeps {
  readonly alarms: Pick<AlarmRepository, 'find' | 'acknowledge'>;
  readonly connections: Pick<ConnectionDirectory, 'byId' | 'storeKeySet'>;
  readonly signers: Pick<SignerDirectory, 'storeKeySet'>;
  readonly clock: Clock;
}

const { view: alarm, routes: listed } = resource(lists.alarmList, {
  noun: 'alarm',
  plural: 'alarms',
  area: 'sellers',
  summary: 'Alarms, newest first',
  example: {
    alarm_id: '0d7c9f0a-55f5-4c0e-9d5b-0a3a54a2b0e1',
    kind: 'jwks_uri_changed',
    subject: 'seller acme',
    detail: { known: 'https://acme.example/jwks.json', named: 'https://acme.example/keys.json' },
    first_at: '2026-11-21T12:00:00.000Z',
    last_at: '2026-11-21T12:30:00.000Z',
    count: 3,
  },
  views: { detail: z.record(z.string(), z.union([z.string(), z.number()])) },
  query: { kind: z.enum(alarmKinds) },
  // People look at all open ones.
  usual: 500,
  command: {
    title: 'what a person must look at: keys and signers',
    summary: 'list alarms, newest first',
    columns: {
      Alarm: 'alarm_id',
      Kind: 'kind',
      About: 'subject',
      Detail: 'detail',
      Times: 'count',
      Last: 'last_at',
      'Acknowledged by': 'acknowledged_by',
    },
    none: 'No alarm matches.',
  },
});

export type AlarmView = z.output<typeof alarm>;

const { view: refusedSignature, routes: refusedListed } = resource(lists.refusedSignatureList, {
  noun: 'refused_signature',
  plural: 'refused',
  path: '/v1/signatures/refused',
  id: 'list_refused_signatures',
  area: 'principals',
  summary: 'Signed messages that were refused, with the verdict step by step',
  example: {
    refusal_id: '0d7c9f0a-55f5-4c0e-9d5b-0a3a54a2b0e1',
    code: 'request_signature_expired',
    method: 'POST',
    path: '/mcp',
    refused_at: '2026-11-21T12:00:00.000Z',
    keyid: 'nova-1',
    principal: 'nova',
    is_stranger: false,
    steps: [{ step: '5', name: 'expiry', ok: false, seen: 'expired 12 s ago' }],
  },
  views: {
    steps: z.array(
      z.strictObject({
        step: z.string(),
        name: z.string(),
        ok: z.boolean(),
        seen: z.string(),
        details: jsonObject
          .exactOptional()
          .describe('Of a key that was not found: the failure and what is known.'),
      }),
    ),
  },
  query: { code: z.string().regex(/^[a-z0-9_]{1,80}$/, 'must be a code') },
});

export type RefusedSignatureView = z.output<typeof refusedSignature>;

const acknowledgement = z.strictObject({ reason: reasonText, accept: z.boolean().default(false) });

const route = routesOn<AlarmsDeps>();

/** Alarms, and signed messages that were refused. */
export const alarmRoutes = [
  ...listed,
  route({
    method: 'post',
    path: '/v1/alarms/{id}/acknowledge',
    id: 'acknowledge_alarm',
    summary: 'End an alarm with a reason; with accept also take over what it is about',
    // Accepting a key set decides whose signatures are valid.
    needs: 'sellers.approve',
    body: acknowledgement,
    answer: alarm,
    handle: (deps, { caller, params, body }) => acknowledge(deps, caller, params.id, body),
  }),
  ...refusedListed,
];

async function acknowledge(
  deps: AlarmsDeps,
  caller: PrincipalCaller,
  alarmId: string,
  { reason, accept }: z.output<typeof acknowledgement>,
): Promise<Result<AlarmView, AdminFailure>> {
  const scope = scopeOf(caller);
  if (organizationWide(caller, 'sellers', 'approve') !== undefined) return err(notFound);
  const found = await deps.alarms.find(scope, alarmId);
  if (found === undefined) return err(notFound);
  if (found.acknowledged !== undefined) return err(alreadyAcknowledged);
  const refused = accept ? await acceptKeySet(deps, scope, found) : undefined;
  if (refused !== undefined) return err(refused);
  if (!(await deps.alarms.acknowledge(scope, alarmId, caller.name, reason))) return err(alreadyAcknowledged);
  const ended = await deps.alarms.find(scope, alarmId);
  return ended === undefined ? err(notFound) : ok(viewOf(ended));
}

/** Accepts a key set's new address: only the one that the alarm names, and only if it still replaces the known one. */
async function acceptKeySet(
  { connections, signers, clock }: AlarmsDeps,
  scope: TenantScope,
  { kind, detail }: Alarm,
): Promise<AdminFailure | undefined> {
  const { connection_id: connectionId, signer_id: signerId, known, named } = detail;
  if (kind !== 'jwks_uri_changed' || typeof known !== 'string' || typeof named !== 'string')
    return nothingToAccept;
  if (typeof connectionId === 'string') {
    const connection = await connections.byId(scope, connectionId);
    if (connection === undefined) return { code: 'NOT_FOUND', message: 'The seller was removed meanwhile.' };
    const keySet = {
      kind: connection.pinnedJwksUri === undefined ? 'found' : 'pinned',
      known,
      jwksUri: named,
    } as const;
    const isStored = await connections.storeKeySet(scope, connection, keySet, clock.now());
    return isStored ? undefined : changedMeanwhile('seller');
  }
  if (typeof signerId !== 'string') return nothingToAccept;
  const isStored = await signers.storeKeySet(scope, signerId, { jwksUri: named, known });
  return isStored ? undefined : changedMeanwhile('signer');
}

const notFound: AdminFailure = { code: 'NOT_FOUND', message: 'There is no alarm with this id.', field: 'id' };
const alreadyAcknowledged: AdminFailure = {
  code: 'CONFLICT',
  message: 'This alarm is already acknowledged.',
};
const nothingToAccept: AdminFailure = {
  code: 'INVALID_REQUEST',
  message: 'An alarm of this kind has nothing to accept.',
  field: 'accept',
};
const changedMeanwhile = (whose: 'seller' | 'signer'): AdminFailure => ({
  code: 'CONFLICT',
  message: `The key set of the ${whose} was changed or removed meanwhile. Acknowledge without accepting.`,
});

function viewOf({ id, firstAt, lastAt, acknowledged, kind, subject, detail, count }: Alarm) {
  return {
    alarm_id: id,
    kind,
    subject,
    detail,
    first_at: isoOf(firstAt),
    last_at: isoOf(lastAt),
    count,
    ...(acknowledged && {
      acknowledged_at: isoOf(acknowledged.at),
      acknowledged_by: acknowledged.by,
      reason: acknowledged.reason,
    }),
  };
}
