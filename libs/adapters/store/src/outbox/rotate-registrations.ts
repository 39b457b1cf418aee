import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';

/** Addresses of media buys that a later request puts others in the place of. */
export interface RegistrationRotation {
  /** See `rotateRegistration`. How many addresses have come into use. */
  rotate(scope: TenantScope, operationId: string, at: Instant): Promise<number>;
}

export function registrationRotation(store: Store): RegistrationRotation {
  return {
    rotate: (scope, operationId, at) =>
      store.inTenant(scope, (client) => rotateRegistration(client, operationId, at)),
  };
}

interface NewAddress {
  readonly id: string;
  readonly media_buy_id: string;
  readonly channel: string;
  readonly envelope: string;
}

/**
 * Puts the addresses that came with an operation in the place of those that its media buy has, from the next event on
 * (docs/protocol/webhooks-out.md#persistent-channels). Events that are written already go where they were meant to.
 *
 * An update that brings a `reporting_webhook` or `push_notification_config` stores them with its operation as a
 * creation does, naming the media buy: `callbacks` of its draft with `mediaBuyId` set. Until this is called they hear
 * of the update's own task alone. The operation store calls it by itself once the operation is completed and its buyer
 * answered; an update that ends in another way changes no address. Calling it again does nothing.
 *
 * The report stream is the media buy's slot and not the address: it goes on with its next `sequence_number` and with
 * what was told, and one that has had its `final` stays ended. Where the buy had none, one is opened at 1.
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

/** Each channel and envelope is one slot of its media buy. Two updates at a time come one after the other. */
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
  await client.query('update told_period set registration_id = $2 where registration_id = any($1::uuid[])', [
    replaced,
    address.id,
  ]);
  if (moved.rowCount > 0) return;
  await client.query(
    `insert into report_stream (registration_id, organization_id, media_buy_id, due_at, created_at)
     values ($1, $2, $3, $4, $4)`,
    [address.id, client.organizationId, address.media_buy_id, at],
  );
}
