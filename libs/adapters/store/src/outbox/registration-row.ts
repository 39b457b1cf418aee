import type { BuyerRegistration } from '@switchyard/events';
import type { Dialect, Form, ReleaseName, WireProfile } from '@switchyard/protocol';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader, rowWriter } from '../core/row-mapper.js';
import { insertRows } from '../buys/insert-rows.js';
import type { buyer_registrationModel } from '../generated/models.js';
import type { Instant } from '@switchyard/values';

const columns = `
  id, organization_id, principal_id, operation_id, channel, envelope, mode, url, created_at, media_buy_id,
  buyer_operation_id, context_id, credential_id, frequency, subscriber_id, account_id, event_types, told_version`;
const registrationRow = rowWriter<BuyerRegistration>()(columns);
const profileRow = rowWriter<WireProfile>()('dialect, form, release');
const readRegistration = rowReader<Omit<BuyerRegistration, 'profile'>>()(`${columns}, active_from` as const);

/** Stores the addresses of one operation, and opens the report stream of a new buy with such an address. */
export async function insertRegistrations(
  client: TenantClient,
  registrations: readonly BuyerRegistration[],
): Promise<void> {
  await insertRows(
    client,
    'buyer_registration',
    registrations.map((item) => ({
      ...registrationRow(item),
      ...profileRow(item.profile),
      active_from: item.activeFrom === undefined ? undefined : new Date(item.activeFrom),
    })),
  );
  await openStreams(
    client,
    registrations.map(({ id }) => id),
  );
}

/** Addresses of the request that made the buy apply at once; those of an update apply when it is done. */
async function openStreams(client: TenantClient, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await client.query(
    `with active as (
       update buyer_registration r set active_from = r.created_at from media_buy m
       where r.id = any($1::uuid[]) and m.id = r.media_buy_id and m.operation_id = r.operation_id
       returning r.*
     )
     insert into report_stream (registration_id, organization_id, media_buy_id, due_at, created_at)
     select id, organization_id, media_buy_id, created_at, created_at from active where channel = 'report'`,
    [ids],
  );
}

/** The addresses that were registered with an operation. */
export async function registrationsOf(
  client: TenantClient,
  operationId: string,
): Promise<readonly BuyerRegistration[]> {
  const { rows } = await client.query<buyer_registrationModel>(
    'select * from buyer_registration where operation_id = $1 order by channel, envelope',
    [operationId],
  );
  return rows.map(registrationOf);
}

export function registrationOf(
  row: Pick<buyer_registrationModel, 'dialect' | 'form' | 'release'>,
): BuyerRegistration {
  const profile = {
    dialect: row.dialect as Dialect,
    form: row.form as Form,
    ...present({ release: (row.release as ReleaseName | null) ?? undefined }),
  };
  return { ...readRegistration(row), profile };
}

interface NewAddress {
  readonly id: string;
  readonly media_buy_id: string;
  readonly channel: string;
  readonly envelope: string;
}

/**
 * Replaces the addresses of a media buy with those that an update brought, from the next event on
 * (docs/protocol/webhooks-out.md#persistent-channels). Events that are already written keep their address. Returns how
 * many addresses have come into use.
 *
 * An update that brings a `reporting_webhook` or `push_notification_config` stores it with its operation, with
 * `mediaBuyId` set in the `callbacks` of its draft. Until this is called, such an address receives events of the
 * update's own task only. The operation store calls it when the operation is completed and its buyer answered; an
 * update that ends in another way changes no address. Calling it again does nothing.
 *
 * The report stream belongs to the media buy and not to the address: it continues with its next `sequence_number` and
 * with the periods already reported, and stays ended after `final`. A buy without a stream gets one that starts at 1.
 */
export async function rotateRegistration(
  client: TenantClient,
  operationId: string,
  at: Instant,
): Promise<number> {
  const { rows } = await client.query<NewAddress>(
    `select r.id, r.media_buy_id, r.channel, r.envelope
     from buyer_registration r join operation o on o.id = r.operation_id
     where o.id = $1 and o.status = 'completed' and r.media_buy_id is not null and r.active_from is null
     for update of r`,
    [operationId],
  );
  for (const address of rows) {
    const replaced = await takePlace(client, address, new Date(at));
    if (address.channel === 'report') await moveStream(client, address, replaced, new Date(at));
  }
  return rows.length;
}

/** A media buy has one address per channel and envelope. The lock makes concurrent updates take turns. */
async function takePlace(client: TenantClient, address: NewAddress, at: Date): Promise<readonly string[]> {
  await client.query('select 1 from media_buy where id = $1 for no key update', [address.media_buy_id]);
  const { rows } = await client.query<{ id: string }>(
    `update buyer_registration set replaced_at = $4
     where media_buy_id = $1 and channel = $2 and envelope = $3 and active_from is not null and replaced_at is null
     returning id`,
    [address.media_buy_id, address.channel, address.envelope, at],
  );
  await client.query('update buyer_registration set active_from = $2 where id = $1', [address.id, at]);
  return rows.map(({ id }) => id);
}

async function moveStream(
  client: TenantClient,
  address: NewAddress,
  replaced: readonly string[],
  at: Date,
): Promise<void> {
  const moved = await client.query(
    'update report_stream set registration_id = $2 where registration_id = any($1::uuid[])',
    [replaced, address.id],
  );
  await client.query(
    'update reported_period set registration_id = $2 where registration_id = any($1::uuid[])',
    [replaced, address.id],
  );
  if (moved.rowCount > 0) return;
  await client.query(
    `insert into report_stream (registration_id, organization_id, media_buy_id, due_at, created_at)
     values ($1, $2, $3, $4, $4)`,
    [address.id, client.organizationId, address.media_buy_id, at],
  );
}
