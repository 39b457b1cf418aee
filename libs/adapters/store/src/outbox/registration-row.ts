import type { BuyerRegistration } from '@switchyard/events';
import type { Dialect, Form, ReleaseName, WireProfile } from '@switchyard/protocol';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader, rowWriter } from '../core/row-mapper.js';
import { insertRows } from '../buys/insert-rows.js';
import type { buyer_registrationModel } from '../generated/models.js';

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
