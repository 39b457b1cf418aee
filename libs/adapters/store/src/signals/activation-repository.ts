import {
  isUnchanged,
  targetKey,
  type Activation,
  type ActivationRepository,
  type ActivationState,
  type RequestedElsewhere,
} from '@switchyard/buys';
import type { ActivationKey, DeploymentTarget } from '@switchyard/protocol';
import { retryDeadlock } from '../core/retry-deadlock.js';
import { storableText } from '../core/storable.js';
import { present } from '../core/present.js';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import { raiseAlarm } from '../signing/alarm-repository.js';

interface Row {
  readonly connection_id: string;
  readonly segment_id: string;
  readonly target: DeploymentTarget;
  readonly state: ActivationState;
  readonly activation_key: ActivationKey | null;
  readonly deployed_at: string | null;
  readonly said_at: Date | null;
  readonly ready_at: Date | null;
  readonly seen_at: Date;
  readonly look_at: Date | null;
  readonly asked: boolean;
  readonly asked_by: string | null;
}

/** States of activated signals, on PostgreSQL. */
export function activationRepository(store: Store): ActivationRepository {
  return {
    keep: async (scope, activations, before) => {
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
    putOff: (scope, activations) =>
      store.inTenant(scope, async (client) => {
        await client.query(putOff, [JSON.stringify(activations.map(written))]);
      }),
    of: (scope, segments) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<Row>(
          `select * from signal_activation
           where (connection_id, segment_id) in (select * from unnest($1::uuid[], $2::text[]))`,
          [segments.map((segment) => segment.connectionId), segments.map((segment) => segment.segmentId)],
        );
        return rows.map(read);
      }),
    due: (scope, at, limit) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<Row>(
          `select * from signal_activation where look_at <= $1 and state = 'activating'
           order by look_at limit $2`,
          [new Date(at), limit],
        );
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
  select told.segment_id, told.target_key
  from connection own, signals_elsewhere(own.id, $2::text[]) told where own.id = $1`;

/** Sorted, so that two writers lock the rows in one order. */
const keep = `
  insert into signal_activation
    (organization_id, connection_id, segment_id, target_key, target, state, activation_key, deployed_at,
     said_at, ready_at, seen_at, look_at, asked, asked_by)
  select $1, connection_id, segment_id, target_key, target, state, activation_key, deployed_at,
         said_at, ready_at, seen_at, look_at, asked, asked_by
  from jsonb_to_recordset($2::jsonb) as seen
    (connection_id uuid, segment_id text, target_key text, target jsonb, state text, activation_key jsonb,
     deployed_at text, said_at timestamptz, ready_at timestamptz, seen_at timestamptz, look_at timestamptz, asked boolean,
     asked_by uuid)
  order by connection_id, segment_id, target_key
  on conflict (organization_id, connection_id, segment_id, target_key) do update set
    target = excluded.target, state = excluded.state, activation_key = excluded.activation_key,
    deployed_at = excluded.deployed_at, said_at = excluded.said_at, ready_at = excluded.ready_at,
    seen_at = excluded.seen_at, look_at = excluded.look_at, asked = excluded.asked,
    asked_by = excluded.asked_by
  where signal_activation.seen_at <= excluded.seen_at
  returning jsonb_build_array(connection_id, segment_id, target_key)::text as place, xmax = 0 as is_new`;

interface Stored {
  readonly place: string;
  readonly is_new: boolean;
}

/** Rolls everything back: the new state was computed from a state that has changed. */
class ChangedSince extends Error {}

/** Locks in the order of the writes. */
const lockRows = `
  select jsonb_build_array(one.connection_id, one.segment_id, one.target_key)::text as place, one.*
  from signal_activation one
  where (one.connection_id, one.segment_id, one.target_key) in (
    select connection_id, segment_id, target_key from jsonb_to_recordset($1::jsonb) as seen
      (connection_id uuid, segment_id text, target_key text))
  order by one.connection_id, one.segment_id, one.target_key for update`;

/** The existing rows, by their places. */
async function lock(client: TenantClient, rows: string): Promise<ReadonlyMap<string, Activation>> {
  const locked = await client.query<Row & Pick<Stored, 'place'>>(lockRows, [rows]);
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
    return next !== undefined && row.seenAt <= next.seenAt && !isUnchanged(row, known.get(placeOf(row)));
  });
}

function placeOf({ connectionId, segmentId, target }: Activation): string {
  return JSON.stringify([connectionId, segmentId, targetKey(target)]);
}

const putOff = `
  with held as (
    select one.organization_id, one.connection_id, one.segment_id, one.target_key, seen.look_at
    from signal_activation one
    join jsonb_to_recordset($1::jsonb) as seen
      (connection_id uuid, segment_id text, target_key text, seen_at timestamptz, look_at timestamptz, asked boolean,
       asked_by uuid)
      using (connection_id, segment_id, target_key)
    where one.state = 'activating' and one.seen_at = seen.seen_at and one.asked = seen.asked
      and one.asked_by is not distinct from seen.asked_by and seen.look_at is not null
    order by one.connection_id, one.segment_id, one.target_key for update of one)
  update signal_activation one set look_at = held.look_at from held
  where (one.organization_id, one.connection_id, one.segment_id, one.target_key)
    = (held.organization_id, held.connection_id, held.segment_id, held.target_key)`;

/** Raises an alarm for an agent's state that cannot follow the known one. */
async function raiseTransitionAlarm(
  client: TenantClient,
  { connectionId, segmentId, target, seenAt }: Activation,
  refused: NonNullable<Activation['refused']>,
): Promise<void> {
  const subject = storableText(`signal ${connectionId} ${segmentId} ${targetKey(target)}`);
  const detail = { signal: storableText(segmentId), place: storableText(targetKey(target)), ...refused };
  await raiseAlarm(client, { kind: 'illegal_transition', subject, detail }, seenAt);
}

function written(one: Activation): Record<string, unknown> {
  const moment = (at: number | undefined): string | undefined =>
    at === undefined ? undefined : new Date(at).toISOString();
  return {
    connection_id: one.connectionId,
    segment_id: one.segmentId,
    target_key: targetKey(one.target),
    target: one.target,
    state: one.state,
    activation_key: one.key,
    deployed_at: one.deployedAt,
    said_at: moment(one.saidAt),
    ready_at: moment(one.readyAt),
    seen_at: moment(one.seenAt),
    look_at: moment(one.pollAt),
    asked: one.isRequested === true,
    asked_by: one.requestedBy,
  };
}

function read(row: Row): Activation {
  return {
    connectionId: row.connection_id,
    segmentId: row.segment_id,
    target: row.target,
    state: row.state,
    seenAt: row.seen_at.getTime(),
    ...present({
      key: row.activation_key,
      deployedAt: row.deployed_at,
      saidAt: row.said_at?.getTime(),
      readyAt: row.ready_at?.getTime(),
      pollAt: row.look_at?.getTime(),
      isRequested: row.asked ? (true as const) : undefined,
      requestedBy: row.asked_by,
    }),
  };
}
