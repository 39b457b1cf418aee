import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenFor = (aud: string): string => `${part({ alg: 'EdDSA' })}.${part({ aud })}.c2ln`;

async function buyWith(aud: (agentUrl: string) => string, wish = { allOrNothing: false }) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
  const token = tokenFor(aud(harness.connection('acme').agentUrl));
  const mutation = harness.request(['acme', 'bravo']);
  const done = must(
    await createMediaBuy(harness.ports, {
      ...mutation,
      args: { ...mutation.args, governance_context: token },
      request: { ...mutation.request, ...wish, governanceContext: token },
    }),
  );
  const received = ['acme', 'bravo'].map(
    (slug) => harness.seller(slug).received[0]?.args['governance_context'],
  );
  return { token, heard: received, legs: done.state.legs };
}

const codes = (legs: Awaited<ReturnType<typeof buyWith>>['legs']): readonly string[] =>
  legs.flatMap(({ findings }) => findings.map(({ code }) => code));

describe('a governance context on a request for several sellers', () => {
  it('reaches its own seller unchanged, and no other', async () => {
    const { token, heard: received, legs } = await buyWith((acme) => acme);
    expect(received).toEqual([token, undefined]);
    expect(codes(legs)).not.toContain('GOVERNANCE_CONTEXT_NOT_FORWARDED');
  });

  it('is sent to no seller if it is for one that is not in the request, and the answer has a finding', async () => {
    const { heard: received, legs } = await buyWith(() => 'https://elsewhere.example/mcp');
    expect(received).toEqual([undefined, undefined]);
    expect(codes(legs.slice(0, 1))).toContain('GOVERNANCE_CONTEXT_NOT_FORWARDED');
  });

  it('is not sent again when the buy is undone', async () => {
    const { token, legs } = await buyWith((acme) => acme, { allOrNothing: true });
    const [undo] = legs.filter(({ task }) => task === 'update_media_buy');
    expect(undo).toBeDefined();
    expect(legs.filter(({ outbound }) => outbound.includes(token))).toHaveLength(1);
  });
});
