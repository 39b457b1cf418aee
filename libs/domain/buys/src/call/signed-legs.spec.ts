import { describe, expect, it } from '@jest/globals';
import { createMediaBuy, getMediaBuys, type Capabilities } from '@switchyard/protocol';
import type { Connection, PrincipalSigner, SellerTarget, SellerTransport } from '@switchyard/sellers';
import { ok, Secret } from '@switchyard/values';
import { callSeller } from './call-seller.js';
import { draftLeg, unsignedLeg } from './draft-leg.js';
import type { Operation } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';

const signer: PrincipalSigner = {
  principalId: 'p',
  sign: () => Promise.resolve(ok({ 'Signature-Input': 'sig1=()', Signature: 'sig1=::' })),
};

function sellerThat(requiredFor: readonly string[]): Connection {
  const requestSigning = { supported: true, requiredFor };
  return {
    id: 'c',
    organizationId: 'o',
    slug: 'acme',
    dialect: 'adcp',
    form: '3.1',
    protocol: 'mcp',
    agentUrl: 'https://acme.example/mcp',
    capabilities: { requestSigning } as unknown as Capabilities,
  } as unknown as Connection;
}

const operation = {
  id: 'op',
  organizationId: 'o',
  principalId: 'p',
  task: createMediaBuy.name,
  request: {},
  createdAt: 0,
};
const ids = { uuid: () => 'uuid', token: (prefix: string) => `${prefix}_1` };

function findingsOf(connection: Connection, ports: Pick<BuysPorts, 'signerFor'>): readonly string[] {
  const secrets = { keySecret: new Secret(Buffer.alloc(32, 1)) };
  const { leg } = draftLeg(
    {
      ports: { ids, callbackBase: () => 'https://us.example', ...ports },
      operation: operation as unknown as Operation,
      connection,
      secrets,
    },
    () => ({ args: {}, findings: [{ code: 'OTHER', message: '' }] }),
  );
  return leg.findings.map(({ code }) => code);
}

describe('a leg', () => {
  it('that is sent without a signature has a finding, after its other findings', () => {
    const signs = { signerFor: () => signer };
    expect(findingsOf(sellerThat([]), signs)).toEqual(['OTHER', unsignedLeg]);
    expect(findingsOf(sellerThat(['create_media_buy']), signs)).toEqual(['OTHER']);
    expect(findingsOf(sellerThat(['create_media_buy']), {})).toEqual(['OTHER', unsignedLeg]);
  });

  it('is signed for the tasks that its seller names, and for no other', async () => {
    const targets: SellerTarget[] = [];
    const transport = {
      call: (target: SellerTarget) => {
        targets.push(target);
        return Promise.resolve(ok({ payload: {}, isError: false }));
      },
    } as unknown as SellerTransport;
    const to = { connection: sellerThat(['create_media_buy']), signer };
    const never = new AbortController().signal;
    await callSeller(transport, to, { task: createMediaBuy.name, args: {} }, never);
    await callSeller(transport, to, { task: getMediaBuys.name, args: {} }, never);
    await callSeller(
      transport,
      { connection: to.connection },
      { task: createMediaBuy.name, args: {} },
      never,
    );
    expect(targets.map((target) => target.signer?.principalId)).toEqual(['p', undefined, undefined]);
  });
});
