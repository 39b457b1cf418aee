import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import { must, ok, Secret, type JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import type { LeaseSecrets } from '../model/ports.js';

const secretText = 'pZ4w0Qm8tYc2Lr6Vx9Kb1Nj5Hd7Sg3Fa';

/** A harness whose one seller is marked for an older mode, and whose vault gives out the secret of its webhooks or not. */
async function markedHarness(mode: 'hmac-sha256' | 'bearer', leased: string | undefined) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const marked = { ...harness.connection('acme'), legacyWebhooks: mode, webhookCredentialId: 'credential-1' };
  const lease: LeaseSecrets = () =>
    Promise.resolve(
      ok(
        new Map([
          [
            marked.id,
            {
              keySecret: new Secret(Buffer.from('key')),
              ...(leased === undefined
                ? {}
                : { webhookSecret: { credentialId: leased, secret: new Secret(Buffer.from(secretText)) } }),
            },
          ],
        ]),
      ),
    );
  const connections = {
    ...harness.ports.connections,
    list: () => Promise.resolve([marked]),
    byId: () => Promise.resolve(marked),
  };
  const done = must(
    await createMediaBuy({ ...harness.ports, connections, lease }, harness.request(['acme'])),
  );
  const [leg] = done.state.legs;
  return { received: harness.seller('acme').received, leg, rows: harness.store.rowsOf(harness.scope) };
}

const credentialsOf = (args: JsonObject | undefined, block: string): unknown =>
  (args?.[block] as JsonObject | undefined)?.['authentication'];

describe('a leg to a seller that is marked for an older mode', () => {
  it('sends the secret only to its seller', async () => {
    const { received: heard, leg, rows } = await markedHarness('hmac-sha256', 'credential-1');
    const authentication = { schemes: ['HMAC-SHA256'], credentials: secretText };
    expect(credentialsOf(heard[0]?.args, 'push_notification_config')).toEqual(authentication);
    expect(credentialsOf(heard[0]?.args, 'reporting_webhook')).toEqual(authentication);
    expect(leg?.status).toBe('completed');
    expect(JSON.stringify([...rows.legs.values()])).not.toContain(secretText);
  });

  it('keeps the address of its task signed if the mode is Bearer', async () => {
    const { received: heard } = await markedHarness('bearer', 'credential-1');
    expect(credentialsOf(heard[0]?.args, 'push_notification_config')).toBeUndefined();
    expect(credentialsOf(heard[0]?.args, 'reporting_webhook')).toEqual({
      schemes: ['Bearer'],
      credentials: secretText,
    });
  });

  it.each<[string, string | undefined]>([
    ['the vault gives none out', undefined],
    ['it is another one than was agreed', 'credential-2'],
  ])('without its secret is not sent, and reports why: %s', async (_why, leased) => {
    const { received: heard, leg } = await markedHarness('hmac-sha256', leased);
    expect(heard).toEqual([]);
    expect(leg).toMatchObject({ status: 'failed', errors: [{ code: 'CONFIGURATION_ERROR' }] });
  });
});
