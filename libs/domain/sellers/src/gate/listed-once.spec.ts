import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { err, ok, Secret } from '@switchyard/values';
import type { SellerTarget, SellerTransport } from '../transport.js';
import { listedOnce } from './listed-once.js';

const { signal } = new AbortController();
const target: SellerTarget = {
  ...{ organizationId: 'o', connectionId: 'c', agentUrl: 'https://a.example/mcp' },
  ...{ protocol: 'mcp', dialect: 'adcp' },
};
const withVersion = (version: number): SellerTarget => ({
  ...target,
  credential: { id: 'k', version, scheme: 'bearer', secret: new Secret(Buffer.from('t')) },
});

/** A seller that refuses its first question. */
function seller() {
  const asked: SellerTarget[] = [];
  const transport = {
    listTools: (given: SellerTarget) => {
      asked.push(given);
      return Promise.resolve(
        asked.length === 1
          ? err({ code: 'timeout', delivered: 'maybe', message: 'Too slow.' } as const)
          : ok({ get_products: ['brief'] }),
      );
    },
  } as unknown as SellerTransport;
  return { asked, transport: listedOnce(transport) };
}

describe('the tools of an agent', () => {
  it('are asked for once in a run, again after a failure, and for each protocol and version of a credential', async () => {
    const { asked, transport } = seller();
    const list = (given: SellerTarget) => transport.listTools(given, signal);
    expect((await list(target)).ok).toBe(false);
    for (let look = 0; look < 3; look += 1)
      expect(await list(target)).toEqual(ok({ get_products: ['brief'] }));
    expect(asked).toHaveLength(2);
    await list({ ...target, protocol: 'a2a' });
    await list(withVersion(1));
    await list(withVersion(2));
    await list(withVersion(2));
    expect(asked).toHaveLength(5);
  });
});
