import { Buffer } from 'node:buffer';
import { randomBytes, sign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallSigner, SellerTarget, SellerTransport } from '@switchyard/sellers';
import {
  generateSigningKey,
  memoryReplayStore,
  noRevocations,
  publicJwk,
  requestProfile,
  signMessage,
  verifySignature,
  type SigningNames,
} from '@switchyard/signing';
import { err, ok, Secret } from '@switchyard/values';
import { startA2aSeller } from './testkit/a2a-seller.js';
import { startMcpSeller } from './testkit/mcp-seller.js';
import { plainEgress } from './testkit/plain-egress.js';
import type { Admit, SellerDouble } from './testkit/seller-double.js';
import { createSellerTransport } from './seller-transports.js';

const names: SigningNames = {
  requestTag: 'adcp/request-signing/v1',
  webhookTag: 'adcp/webhook-signing/v1',
  useMember: 'adcp_use',
};
const keys = new Map(
  ['acme', 'globex'].map((principal) => [principal, generateSigningKey(`key-of-${principal}`)] as const),
);
const never = new AbortController().signal;

/** A seller's own verifier, for every POST: unsigned, altered or repeated ones do not come in. */
function strictVerifier(seen: { keyids: string[]; nonces: string[] }): Admit {
  const replays = memoryReplayStore(1000, () => Date.now());
  return async (request, url, body) => {
    if (request.method !== 'POST') return undefined;
    const headers: [string, string][] = [];
    for (let at = 0; at < request.rawHeaders.length; at += 2) {
      headers.push([request.rawHeaders[at] ?? '', request.rawHeaders[at + 1] ?? '']);
    }
    const verdict = await verifySignature(
      { method: 'POST', url, headers, body },
      requestProfile(names),
      {
        keys: {
          resolve: (keyid) => {
            const key = [...keys.values()].find((one) => one.kid === keyid);
            const agentUrl = 'https://us.example/mcp';
            return Promise.resolve(
              key === undefined ? err('key_unknown') : ok({ jwk: publicJwk(key, ['adcp_use']), agentUrl }),
            );
          },
        },
        replays,
        revocations: noRevocations,
      },
      Date.now(),
    );
    if (!verdict.ok) return verdict.code;
    seen.keyids.push(verdict.signer.keyid);
    seen.nonces.push(verdict.nonce);
    return undefined;
  };
}

function signerOf(principalId: 'acme' | 'globex'): CallSigner {
  const key = keys.get(principalId)!;
  return {
    principalId,
    sign: (message) =>
      signMessage(
        message,
        {
          keyid: key.kid,
          alg: key.alg,
          sign: (bytes) => Promise.resolve(ok(sign(null, bytes, key.privateKey))),
        },
        {
          tag: names.requestTag,
          created: Math.floor(Date.now() / 1000),
          validity: 300,
          nonce: randomBytes(16).toString('base64url'),
          coversDigest: true,
        },
      ),
  };
}

const contenders = [
  {
    name: 'MCP without sessions',
    protocol: 'mcp' as const,
    start: (admit: Admit) => startMcpSeller({ sessions: false, streams: false, admit }),
  },
  {
    name: 'MCP with sessions',
    protocol: 'mcp' as const,
    start: (admit: Admit) => startMcpSeller({ sessions: true, streams: true, admit }),
  },
  {
    name: 'A2A 1.0',
    protocol: 'a2a' as const,
    start: (admit: Admit) => startA2aSeller({ version: '1.0', admit }),
  },
  {
    name: 'A2A 0.3',
    protocol: 'a2a' as const,
    start: (admit: Admit) => startA2aSeller({ version: '0.3', admit }),
  },
];

describe.each(contenders)(
  'a seller over $name that requires a signature on every POST',
  ({ protocol, start }) => {
    let seen: { keyids: string[]; nonces: string[] };
    let seller: SellerDouble;
    let transport: SellerTransport;

    beforeEach(async () => {
      seen = { keyids: [], nonces: [] };
      seller = await start(strictVerifier(seen));
      transport = createSellerTransport({ egress: plainEgress });
    });
    afterEach(async () => {
      await transport.close();
      await seller.stop();
    });

    const target = (signer?: CallSigner): SellerTarget => ({
      organizationId: 'org',
      connectionId: 'connection',
      agentUrl: seller.url,
      protocol,
      dialect: 'adcp',
      credential: {
        id: 'c',
        version: 1,
        scheme: 'bearer',
        secret: new Secret(Buffer.from('token-acme')),
      },
      ...(signer === undefined ? {} : { signer }),
    });
    const echo = (signer?: CallSigner) =>
      transport.call(target(signer), { tool: 'echo', args: { brief: 'tea, and “more”' } }, never);

    it('accepts a signed call, including the handshake, and each attempt has its own nonce', async () => {
      expect(await echo(signerOf('acme'))).toMatchObject({ ok: true, value: { isError: false } });
      expect(await echo(signerOf('acme'))).toMatchObject({ ok: true });
      const posts = seller.seen.filter(({ method }) => method === 'POST').length;
      expect(seen.nonces).toHaveLength(posts);
      expect(new Set(seen.nonces).size).toBe(posts);
    });

    it('keeps principals apart: a session of one is never used by another', async () => {
      await echo(signerOf('acme'));
      const before = seen.keyids.length;
      await echo(signerOf('globex'));
      expect(new Set(seen.keyids.slice(0, before))).toEqual(new Set(['key-of-acme']));
      expect(new Set(seen.keyids.slice(before))).toEqual(new Set(['key-of-globex']));
      if (protocol === 'mcp') {
        const sessions = seller.seen.filter(({ tool }) => tool === 'echo').map(({ session }) => session);
        expect(sessions[0] === undefined || sessions[0] !== sessions[1]).toBe(true);
      }
    });

    it('refuses an unsigned call, which counts as not executed', async () => {
      expect(await echo()).toMatchObject({ ok: false, error: { code: 'unauthorized', delivered: 'no' } });
      expect(seen.keyids).toEqual([]);
    });

    it('is not called when our key cannot be used', async () => {
      const failure = { code: 'key_unavailable', message: 'the vault is closed' } as const;
      const broken: CallSigner = { principalId: 'acme', sign: () => Promise.resolve(err(failure)) };
      expect(await echo(broken)).toMatchObject({ ok: false, error: { code: 'not_signed', delivered: 'no' } });
      expect(seller.seen.filter(({ method }) => method === 'POST')).toEqual([]);
    });
  },
);
