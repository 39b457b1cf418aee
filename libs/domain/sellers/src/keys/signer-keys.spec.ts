import { expect, it, describe } from '@jest/globals';
import { generateSigningKey, publicJwk } from '@switchyard/signing';
import type { RegisteredSigner } from '@switchyard/tenancy';
import type { Egress } from '../egress-port.js';
import { createSignerKeys } from './signer-keys.js';

const principal = {
  id: 'p1',
  organizationId: 'o1',
  name: 'buyer',
  kind: 'buyer' as const,
  permissions: {},
  transitional: false,
  legacy: false,
};
const signerWith = (kid: string): RegisteredSigner => ({
  id: kid,
  principalId: principal.id,
  agentUrl: 'https://buyer.example/mcp',
  keys: { kind: 'document', jwks: { keys: [publicJwk(generateSigningKey(kid), ['ads_use'])] } },
  dialect: 'ads',
  allowsRsaPss: false,
  principal,
});

describe('the keys of registered signers', () => {
  it('are found half a second after they were registered, and the list is read no more often for strangers', async () => {
    let now = 0;
    let reads = 0;
    const signers = [signerWith('first')];
    const keys = createSignerKeys({
      egress: {} as Egress,
      clock: { now: () => now, after: () => () => undefined },
      signers: () => {
        reads += 1;
        return Promise.resolve([...signers]);
      },
    });
    expect(await keys.find('second')).toMatchObject({ ok: false, error: { code: 'key_unknown' } });
    signers.push(signerWith('second'));
    for (let stranger = 0; stranger < 50; stranger += 1) await keys.find(`stranger ${stranger}`);
    expect(reads).toBe(1);
    now = 500;
    expect(await keys.find('second', 'p1')).toMatchObject({ ok: true, value: { signer: { id: 'second' } } });
    expect(await keys.find('second', 'p2')).toMatchObject({ ok: false });
    expect(reads).toBe(2);
  });

  it('that were handed in without an address are revoked by no list, and looking for one breaks nothing', async () => {
    const signer = { ...signerWith('handed-in'), agentUrl: 'urn:switchyard:agent' };
    const keys = createSignerKeys({
      egress: {} as Egress,
      clock: { now: () => 0, after: () => () => undefined },
      signers: () => Promise.resolve([signer]),
    });
    expect(await keys.status(signer, 'handed-in')).toBe('ok');
  });
});
