import { createPrivateKey, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dialects } from '@switchyard/protocol';
import { signRequest } from '@switchyard/signing';
import type { OwnerView } from './database.js';
import { waitUntil } from './wait-until.js';

/** A task webhook address of a market seller, and the values that its events must contain. */
export interface TaskAddress {
  readonly id: string;
  readonly seller: string;
  readonly seller_operation_id: string;
  readonly seller_task_id: string;
}

/** Returns the first address of a seller that answers with a task, once the task has its id. */
export function taskAddressOf(database: OwnerView, seller: string): Promise<TaskAddress> {
  return waitUntil(`${seller} has taken a buy as a task`, async () => {
    const rows = await database.rows<TaskAddress>(
      `select r.id, l.seller, r.seller_operation_id, l.seller_task_id from webhook_registration r
       join leg l on l.id = r.leg_id where l.seller = $1 and r.kind = 'task' and l.seller_task_id is not null
       order by r.created_at limit 1`,
      [seller],
    );
    return rows[0];
  });
}

/** Returns an event of that task with the given key. Its status `working` has no effect once the task has ended. */
export function taskUpdate(address: TaskAddress, key: string, more: object = {}): Buffer {
  const update = {
    idempotency_key: key,
    operation_id: address.seller_operation_id,
    task_id: address.seller_task_id,
    task_type: 'create_media_buy',
    protocol: 'media-buy',
    status: 'working',
    timestamp: new Date().toISOString(),
    ...more,
  };
  return Buffer.from(JSON.stringify(update));
}

/** Posts bytes to a webhook address as a market seller does, signed with that seller's own key. */
export async function postSigned(
  at: { readonly url: string; readonly data: string },
  address: TaskAddress,
  body: Buffer,
): Promise<number | undefined> {
  const identities = JSON.parse(readFileSync(join(at.data, 'sandbox/identities.json'), 'utf8')) as Record<
    string,
    { kid: string; privateKeyPem: string }
  >;
  const identity = identities[address.seller];
  if (identity === undefined) throw new Error(`The market has no ${address.seller}.`);
  const url = `${at.url}/webhooks/${address.id}`;
  const headers = { 'Content-Type': 'application/json' };
  const created = Math.floor(Date.now() / 1000);
  const signature = signRequest({
    method: 'POST',
    url,
    headers,
    body,
    keyid: identity.kid,
    alg: 'ed25519',
    privateKey: createPrivateKey(identity.privateKeyPem),
    tag: dialects.ads.webhookTag,
    created,
    expires: created + 300,
    nonce: randomBytes(16).toString('base64url'),
  });
  const sent = await fetch(url, { method: 'POST', headers: { ...headers, ...signature }, body }).catch(
    () => undefined,
  );
  return sent?.status;
}
