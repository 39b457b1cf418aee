import { describe, expect, it } from '@jest/globals';
import type { Capabilities } from '@switchyard/protocol';
import type { Connection, PrincipalSigner } from '@switchyard/sellers';
import { ok } from '@switchyard/values';
import { refreshCreatives } from './refresh-creatives.js';
import type { DuePlacement } from '../model/creative-library.js';

const scope = { organizationId: 'o' };
const signerOf = (principalId: string): PrincipalSigner => ({
  principalId,
  sign: () => Promise.resolve(ok({ 'Signature-Input': 'sig1=()', Signature: 'sig1=::' })),
});
const due = (creativeId: string, principalId: string): DuePlacement => ({
  creativeId,
  principalId,
  connectionId: 'c',
  seller: 'acme',
  status: 'processing',
});

/** Who signed each poll of the creatives of one seller, and about which it was. */
async function looks(requiredFor: readonly string[], placements: readonly DuePlacement[]) {
  const connection = {
    id: 'c',
    organizationId: 'o',
    slug: 'acme',
    dialect: 'adcp',
    form: '3.1',
    protocol: 'mcp',
    agentUrl: 'https://acme.example/mcp',
    state: 'live',
    capabilities: { requestSigning: { supported: true, requiredFor } } as unknown as Capabilities,
  } as unknown as Connection;
  const seen: (readonly [string | undefined, unknown])[] = [];
  await refreshCreatives(
    {
      signerFor: (_scope: unknown, principalId: string) => signerOf(principalId),
      transport: {
        call: (
          target: { readonly signer?: { readonly principalId: string } },
          { args }: { readonly args: { readonly filters?: { readonly creative_ids?: unknown } } },
        ) => {
          seen.push([target.signer?.principalId, args.filters?.creative_ids]);
          return Promise.resolve(ok({ payload: {}, isError: false }));
        },
      },
      connections: { byId: () => Promise.resolve(connection) },
      lease: () => Promise.resolve(ok(new Map())),
      clock: { now: () => 0 },
      ids: { uuid: () => 'uuid' },
      creatives: {
        due: () => Promise.resolve(placements),
        markPolled: () => Promise.resolve(),
        observe: () => Promise.resolve(0),
      },
    } as unknown as Parameters<typeof refreshCreatives>[0],
    scope,
    new AbortController().signal,
  );
  return seen;
}

describe('a poll of the states of creatives', () => {
  const both = [due('a', 'p1'), due('b', 'p2'), due('c', 'p1')];

  it('is signed by the principal of the creatives if the seller requires it', async () => {
    expect(await looks(['list_creatives'], both)).toEqual([
      ['p1', ['a', 'c']],
      ['p2', ['b']],
    ]);
  });

  it('is not signed if the seller does not require it', async () => {
    expect((await looks([], both)).map(([signer]) => signer)).toEqual([undefined, undefined]);
  });
});
