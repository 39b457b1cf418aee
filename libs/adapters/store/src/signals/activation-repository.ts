import {
  isUnchanged,
  targetKey,
  type Activation,
  type ActivationRepository,
  type RequestedElsewhere,
} from '@switchyard/buys';
import type { ActivationKey } from '@switchyard/protocol';
import { retryDeadlock } from '../core/retry-deadlock.js';
import { rowReader } from '../core/row-mapper.js';
import { storableText } from '../core/storable.js';
import { present } from '../core/present.js';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import { raiseAlarm } from '../signing/alarm-repository.js';

/** States of activated signals, on PostgreSQL. */
export function activationRepository(store: Store): ActivationRepository {
  return {
    store: async (scope, activations, before) => {
      if (activations.length === 0) return true;
      const rows = JSON.stringify(activations.map(written));
      const write = async (client: TenantClient): Promise<boolean> => {
        const standing = before === undefined ? undefined : await lock(client, rows);
        if (standing !== undefined && isChanged(standing, activations, before ?? [])) return false;
        const stored = await client.query<Stored>(keep, [scope.organizationId, rows]);
        // A row that could not be locked because it was absent, and now exists, was written by another transaction.
        if (stored.rows.some((row) => !row.is_new && standing !== undefined && !standing.has(row.place)))
          throw new ChangedSince();
        for (const activation of activations)
          if (activation.refused !== undefined)
            await raiseTransitionAlarm(client, activation, activation.refused);
        return true;
      };
      try {
        return await retryDeadlock(() => store.inTenant(scope, write));
      } catch (error) {
        if (error instanceof ChangedSince) return false;
        throw error;
      }
    },
    postpone: (scope, activations) =>
      store.inTenant(scope, async (client) => {
        await client.query(putOff, [JSON.stringify(activations.map(written))]);
      }),
    of: (scope, segments) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query(
          `select * from signal_activation
           where (connection_id, segment_id) in (select * from unnest($1::uuid[], $2::text[]))`,
          [segments.map((segment) => segment.connectionId), segments.map((segment) => segment.segmentId)],
        );
        return rows.map(read);
      }),
    due: (scope, at, limit) =>
      store.inTenantModels(scope, async ({ signal_activation }) => {
        const rows = await signal_activation.findMany({
          where: { next_poll_at: { lte: new Date(at) }, state: 'activating' },
          orderBy: { next_poll_at: 'asc' },
          take: limit,
        });
        return rows.map(read);
      }),
    elsewhere: (scope, segments) =>
      store.inTenant(scope, async (client) => {
        const at = new Map<string, string[]>();
        for (const { connectionId, segmentId } of segments)
          at.set(connectionId, [...(at.get(connectionId) ?? []), storableText(segmentId)]);
        const received = await Promise.all(
          [...at].map(async ([connectionId, ids]): Promise<readonly RequestedElsewhere[]> => {
            const { rows } = await client.query<{ segment_id: string; target_key: string }>(elsewhere, [
              connectionId,
              ids,
            ]);
            return rows.map((row) => ({ connectionId, segmentId: row.segment_id, target: row.target_key }));
          }),
        );
        return received.flat();
      }),
  };
}

/** Only for a connection of this tenant: nothing is returned for another's. */
const elsewhere = `
  select requested.segment_id, requested.target_key
  from connection own, signals_elsewhere(own.id, $2::text[]) requested where own.id = $1`;

/** Sorted, so that two writers lock the rows in one order. */
const keep = `
  insert into signal_activation
    (organization_id, connection_id, segment_id, target_key, target, state, activation_key, deployed_at,
     estimated_at, ready_at, observed_at, next_poll_at, is_requested, requested_by)
  select $1, connection_id, segment_id, target_key, target, state, activation_key, deployed_at,
         estimated_at, ready_at, observed_at, next_poll_at, is_requested, requested_by
  from jsonb_to_recordset($2::jsonb) as observed
    (connection_id uuid, segment_id text, target_key text, target jsonb, state text, activation_key jsonb,
     deployed_at text, estimated_at timestamptz, ready_at timestamptz, observed_at timestamptz, next_poll_at timestamptz, is_requested boolean,
     requested_by uuid)
  order by connection_id, segment_id, target_key
  on conflict (organization_id, connection_id, segment_id, target_key) do update set
    target = excluded.target, state = excluded.state, activation_key = excluded.activation_key,
    deployed_at = excluded.deployed_at, estimated_at = excluded.estimated_at, ready_at = excluded.ready_at,
    observed_at = excluded.observed_at, next_poll_at = excluded.next_poll_at, is_requested = excluded.is_requested,
    requested_by = excluded.requested_by
  where signal_activation.observed_at <= excluded.observed_at
  returning jsonb_build_array(connection_id, segment_id, target_key)::text as place, xmax = 0 as is_new`;

interface Stored {
  readonly place: string;
  readonly is_new: boolean;
}

/** Rolls everything back: the new state was computed from a state that has changed. */
class ChangedSince extends Error {}

/** Locks in the order of the writes. */
const lockRows = `
  select jsonb_build_array(activation.connection_id, activation.segment_id, activation.target_key)::text as place, activation.*
  from signal_activation activation
  where (activation.connection_id, activation.segment_id, activation.target_key) in (
    select connection_id, segment_id, target_key from jsonb_to_recordset($1::jsonb) as observed
      (connection_id uuid, segment_id text, target_key text))
  order by activation.connection_id, activation.segment_id, activation.target_key for update`;

/** The existing rows, by their places. */
async function lock(client: TenantClient, rows: string): Promise<ReadonlyMap<string, Activation>> {
  const locked = await client.query<Pick<Stored, 'place'>>(lockRows, [rows]);
  return new Map(locked.rows.map((row) => [row.place, read(row)]));
}

function isChanged(
  standing: ReadonlyMap<string, Activation>,
  activations: readonly Activation[],
  before: readonly Activation[],
): boolean {
  const known = new Map(before.map((activation) => [placeOf(activation), activation]));
  const update = new Map(activations.map((activation) => [placeOf(activation), activation]));
  return [...standing.values()].some((row) => {
    const next = update.get(placeOf(row));
    return (
      next !== undefined && row.observedAt <= next.observedAt && !isUnchanged(row, known.get(placeOf(row)))
    );
  });
}

function placeOf({ connectionId, segmentId, target }: Activation): string {
  return JSON.stringify([connectionId, segmentId, targetKey(target)]);
}

const putOff = `
  with held as (
    select activation.organization_id, activation.connection_id, activation.segment_id, activation.target_key, observed.next_poll_at
    from signal_activation activation
    join jsonb_to_recordset($1::jsonb) as observed
      (connection_id uuid, segment_id text, target_key text, observed_at timestamptz, next_poll_at timestamptz, is_requested boolean,
       requested_by uuid)
      using (connection_id, segment_id, target_key)
    where activation.state = 'activating' and activation.observed_at = observed.observed_at and activation.is_requested = observed.is_requested
      and activation.requested_by is not distinct from observed.requested_by and observed.next_poll_at is not null
    order by activation.connection_id, activation.segment_id, activation.target_key for update of activation)
  update signal_activation activation set next_poll_at = held.next_poll_at from held
  where (activation.organization_id, activation.connection_id, activation.segment_id, activation.target_key)
    = (held.organization_id, held.connection_id, held.segment_id, held.target_key)`;

/** Raises an alarm for an agent's state that cannot follow the known one. */
async function raiseTransitionAlarm(
  client: TenantClient,
  { connectionId, segmentId, target, observedAt }: Activation,
  refused: NonNullable<Activation['refused']>,
): Promise<void> {
  const subject = storableText(`signal ${connectionId} ${segmentId} ${targetKey(target)}`);
  const detail = { signal: storableText(segmentId), place: storableText(targetKey(target)), ...refused };
  await raiseAlarm(client, { kind: 'illegal_transition', subject, detail }, observedAt);
}

function written(activation: Activation): Record<string, unknown> {
  const moment = (at: number | undefined): string | undefined =>
    at === undefined ? undefined : new Date(at).toISOString();
  return {
    connection_id: activation.connectionId,
    segment_id: activation.segmentId,
    target_key: targetKey(activation.target),
    target: activation.target,
    state: activation.state,
    activation_key: activation.key,
    deployed_at: activation.deployedAt,
    estimated_at: moment(activation.estimatedAt),
    ready_at: moment(activation.readyAt),
    observed_at: moment(activation.observedAt),
    next_poll_at: moment(activation.nextPollAt),
    is_requested: activation.isRequested === true,
    requested_by: activation.requestedBy,
  };
}

const readMembers = rowReader<Omit<Activation, 'key' | 'isRequested' | 'refused'>>()(`
  connection_id, segment_id, target, state, deployed_at, estimated_at, ready_at, observed_at, next_poll_at, requested_by`);
const readOthers = rowReader<{ readonly activationKey?: ActivationKey; readonly isRequested: boolean }>()(
  'activation_key, is_requested',
);

function read(row: object): Activation {
  const { activationKey: key, isRequested } = readOthers(row);
  return { ...readMembers(row), ...present({ key }), ...(isRequested && { isRequested }) };
}
