/** The requests of every caller of the relay benchmark, and their signatures: the same body and signature for all. */
import { randomBytes, randomUUID } from 'node:crypto';
import { signRequest } from '@switchyard/signing';

/** Members of a task's arguments; `marker` is returned in the answer. */
export const argsOf = {
  get_products: (marker) => ({ adcp_version: '3.0', buying_mode: 'brief', brief: marker }),
  create_media_buy: (marker) => ({
    adcp_version: '3.0',
    idempotency_key: randomUUID(),
    account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
    brand: { domain: 'brand.example' },
    start_time: 'asap',
    end_time: '2100-01-01T00:00:00Z',
    packages: [{ product_id: 'p1', pricing_option_id: 'cpm', budget: 10, context: {} }],
    context: { brief: marker },
  }),
};

let calls = 0;

/** A text that is unique to one call. */
export const newMarker = () => `call-${process.pid}-${(calls += 1)}`;

/** The headers of a signature over a body for the seller's own address. */
export function signatureOf({ signedFor, key }, body) {
  const created = Math.floor(Date.now() / 1000);
  return signRequest({
    method: 'POST',
    url: signedFor,
    headers: { 'content-type': 'application/json' },
    body,
    keyid: key.kid,
    alg: 'ed25519',
    privateKey: key.privateKey,
    tag: 'adcp/request-signing/v1',
    created,
    expires: created + 290,
    nonce: randomBytes(16).toString('base64url'),
  });
}

/** Runs `call` for each of `items`, `inFlight` at a time, and answers the total time and that of each. */
export async function timed(items, inFlight, call) {
  const latencies = [];
  const wrong = [];
  let next = 0;
  const lane = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) {
      const from = performance.now();
      const { isRight, seen } = await call(item);
      latencies.push(performance.now() - from);
      if (!isRight) wrong.push(seen.slice(0, 300));
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: inFlight }, lane));
  return { ms: performance.now() - from, latencies, wrong };
}
