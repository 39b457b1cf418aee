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
  function listed() {
    const time = { now: 0 };
    const signers = [signerWith('first')];
    const list = { reads: 0 };
    const keys = createSignerKeys({
      egress: {} as Egress,
      clock: { now: () => time.now, after: () => () => undefined },
      signers: () => {
        list.reads += 1;
        return Promise.resolve([...signers]);
      },
    });
    return { keys, signers, list, time };
  }

  it('are found half a second after they were registered, and the list is read no more often for unknown signers', async () => {
    const { keys, signers, list, time } = listed();
    expect(await keys.find('second')).toMatchObject({ ok: false, error: { code: 'key_unknown' } });
    signers.push(signerWith('second'));
    for (let stranger = 0; stranger < 50; stranger += 1) await keys.find(`stranger ${stranger}`);
    expect(list.reads).toBe(1);
    time.now = 500;
    expect(await keys.find('second')).toMatchObject({ ok: true, value: { signer: { id: 'second' } } });
    expect(list.reads).toBe(2);
  });

  it('are found at once for an authenticated caller, even after a recent failed search', async () => {
    const { keys, signers, list } = listed();
    expect(await keys.find('second', 'p1')).toMatchObject({ ok: false });
    signers.push(signerWith('second'));
    expect(await keys.find('second', 'p1')).toMatchObject({ ok: true, value: { signer: { id: 'second' } } });
    expect(await keys.find('second', 'p2')).toMatchObject({ ok: false });
    const { reads } = list;
    expect(await keys.find('second', 'p1')).toMatchObject({ ok: true });
    expect(list.reads).toBe(reads);
  });

  it('that were registered without an address are revoked by no list, which is never requested', async () => {
    const signer = { ...signerWith('handed-in'), agentUrl: 'urn:switchyard:agent' };
    const keys = createSignerKeys({
      egress: {} as Egress,
      clock: { now: () => 0, after: () => () => undefined },
      signers: () => Promise.resolve([signer]),
    });
    expect(await keys.status(signer, 'handed-in')).toBe('ok');
  });
});
