/**
 * Verification of one signed request: parse, base, digest and Ed25519, compared with raw `crypto.verify` over the same
 * base (the floor) and with the public SDK's verifier, in one interleaved run.
 *
 * Every contender gets the same message of about 1.5 KB with imported keys, and a replay store that accepts every
 * nonce: a store's own time is another benchmark. Ours also parses the body strictly, as its last step, which the
 * others leave to later code: that step is measured alone too, and subtracted in a separate row. Medians of the rounds;
 * CPU is the process's own.
 */
import { Buffer } from 'node:buffer';
import { createHash, verify as rawVerify } from 'node:crypto';
import { createRequire } from 'node:module';
import {
  generateSigningKey,
  noRevocations,
  publicJwk,
  requestProfile,
  signRequest,
  verifySignature,
} from '@switchyard/signing';
import { parseStrictJson } from '@switchyard/values';
import { median, spread } from './statistics.mjs';

const now = 1_800_000_000;
const tag = 'adcp/request-signing/v1';
const url = 'https://agent.example/mcp';
const names = { requestTag: tag, webhookTag: 'adcp/webhook-signing/v1', useMember: 'adcp_use' };

export async function verify({ quick, sdk }) {
  const made = message();
  const contenders = [floor(made), ours(made), bodyAlone(made), ...(sdk ? [await theirs(made)] : [])];
  const rounds = quick ? 5 : 15;
  const count = quick ? 500 : 2_000;
  for (const contender of contenders) await play(contender, count);
  const samples = new Map(contenders.map(({ name }) => [name, { wall: [], cpu: [] }]));
  for (let round = 0; round < rounds; round += 1) {
    // The order rotates, so that none always runs after the same contender.
    for (let place = 0; place < contenders.length; place += 1) {
      const contender = contenders[(place + round) % contenders.length];
      const { wall, cpu } = await play(contender, count);
      samples.get(contender.name).wall.push(wall);
      samples.get(contender.name).cpu.push(cpu);
    }
  }
  const [raw, whole, json] = contenders.map(({ name }) => samples.get(name));
  const less = (of) => whole[of].map((value, round) => value - json[of][round]);
  samples.set('switchyard, less reading the body', { wall: less('wall'), cpu: less('cpu') });
  const share = (from, to) => `${Math.round((100 * median(from)) / median(to))} %`;
  const scenario = `verify one signed request of ${made.body.length} bytes`;
  return [
    [...samples].map(([contender, { wall, cpu }]) => ({
      scenario,
      contender,
      'per second': Math.round(1e6 / median(wall)),
      µs: Number(median(wall).toFixed(1)),
      'µs spread': spread(wall),
      'CPU µs': Number(median(cpu).toFixed(1)),
      'raw, of this': share(raw.wall, wall),
      'raw, of this, by CPU': share(raw.cpu, cpu),
    })),
  ];
}

async function play(contender, count) {
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  await contender.run(count);
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wall: ((performance.now() - began) * 1000) / count, cpu: (user + system) / count };
}

function message() {
  const key = generateSigningKey('bench-ed');
  const packages = Array.from({ length: 15 }, (_none, n) => ({
    package_id: `pkg_${n}`,
    product_id: `acme:p_${n}`,
    budget: 1000.5 + n,
    creatives: ['c1', 'c2'],
  }));
  const body = Buffer.from(
    JSON.stringify({
      idempotency_key: 'bench-0000000000000001',
      brand: { domain: 'brand.example' },
      packages,
    }),
  );
  const nonce = createHash('sha256').update('bench').digest('base64url').slice(0, 22);
  const headers = { 'Content-Type': 'application/json' };
  const signed = signRequest({
    method: 'POST',
    url,
    headers,
    body,
    keyid: key.kid,
    alg: key.alg,
    privateKey: key.privateKey,
    tag,
    created: now,
    expires: now + 300,
    nonce,
  });
  return {
    key,
    jwk: publicJwk(key, ['adcp_use']),
    body,
    headers: {
      Host: 'agent.example',
      ...headers,
      'User-Agent': 'bench',
      Accept: 'application/json',
      ...signed,
    },
  };
}

/** The signature base is built beforehand: only the curve is measured. */
function floor({ key, headers }) {
  const params = headers['Signature-Input'].slice(5);
  const base = Buffer.from(
    `"@method": POST\n"@target-uri": ${url}\n"@authority": agent.example\n"content-type": application/json\n` +
      `"content-digest": ${headers['Content-Digest']}\n"@signature-params": ${params}`,
  );
  const signature = Buffer.from(headers['Signature'].slice(6, -1), 'base64url');
  return {
    name: 'raw crypto.verify',
    run: (count) => {
      for (let n = 0; n < count; n += 1) {
        if (!rawVerify(null, base, key.publicKey, signature)) throw new Error('the floor does not verify');
      }
    },
  };
}

function ours({ jwk, body, headers }) {
  const found = Promise.resolve({ ok: true, value: { jwk, agentUrl: 'https://brand.example/' } });
  const ports = {
    keys: { resolve: () => found },
    replays: { isFull: () => Promise.resolve(false), claim: () => Promise.resolve('claimed') },
    revocations: noRevocations,
  };
  const profile = requestProfile(names);
  const lines = Object.entries(headers);
  return {
    name: 'switchyard, every step',
    run: async (count) => {
      for (let n = 0; n < count; n += 1) {
        const given = { method: 'POST', url, headers: lines, body };
        const verdict = await verifySignature(given, profile, ports, now * 1000);
        if (!verdict.ok) throw new Error(verdict.code);
      }
    },
  };
}

function bodyAlone({ body }) {
  return {
    name: 'reading the body strictly, alone',
    run: (count) => {
      for (let n = 0; n < count; n += 1) {
        if (!parseStrictJson(body).ok) throw new Error('the body does not parse');
      }
    },
  };
}

async function theirs({ jwk, body, headers }) {
  const require = createRequire(new URL('../../apps/e2e/interop/package.json', import.meta.url));
  const { verifyRequestSignature } = require('@adcp/sdk/signing/server');
  const options = {
    capability: { supported: true, covers_content_digest: 'required', required_for: [] },
    jwks: { resolve: () => Promise.resolve(jwk) },
    replayStore: {
      has: () => Promise.resolve(false),
      isCapHit: () => Promise.resolve(false),
      insert: () => Promise.resolve('ok'),
    },
    revocationStore: { isRevoked: () => Promise.resolve(false) },
    now: () => now,
  };
  const text = body.toString('utf8');
  return {
    name: "@adcp/sdk's verifier",
    run: async (count) => {
      for (let n = 0; n < count; n += 1) {
        const result = await verifyRequestSignature({ method: 'POST', url, headers, body: text }, options);
        if (result.status !== 'verified') throw new Error('the public verifier does not verify');
      }
    },
  };
}
