import type { SeededRandom } from '@switchyard/testing';
import { covered, freshNonce, withParams, withSigned } from './honest-message.js';
import type { Fault, Forge } from './fault.js';
import type { SealedMessage } from './sealed-message.js';

const invalid = 'request_signature_invalid';
const seconds = (): number => Math.floor(Date.now() / 1000);

const params = (
  name: string,
  code: string,
  change: (forge: Forge) => SealedMessage['signed']['params'],
): Fault => ({
  name,
  code: `request_signature_${code}`,
  make: (forge) => withParams(forge.honest(), change(forge)),
});

const signed = (
  name: string,
  change: (forge: Forge, honest: SealedMessage) => Partial<SealedMessage['signed']>,
): Fault => ({
  name,
  code: invalid,
  make: (forge) => {
    const honest = forge.honest();
    return withSigned(honest, change(forge, honest));
  },
});

/** All faults of a signature that the right key made over its own content. */
export const signatureFaults: readonly Fault[] = [
  params('tag of webhooks', 'tag_invalid', () => ({ tag: 'ads/webhook-signing/v1' })),
  params('tag of the other dialect', 'tag_invalid', () => ({ tag: 'adcp/request-signing/v1' })),
  params('algorithm', 'alg_not_allowed', ({ chance }) => ({
    alg: chance.pick(['rsa-pss-sha512', 'hmac-sha256', 'none', 'rsa-v1_5-sha256', 'ED25519']),
  })),
  params('algorithm of another kind of key', 'key_purpose_invalid', () => ({ alg: 'ecdsa-p256-sha256' })),
  // One second beyond the allowed clock difference of a minute.
  params('expired by a second', 'window_invalid', () => ({
    created: seconds() - 200,
    expires: seconds() - 61,
  })),
  params('made in the future', 'window_invalid', () => ({
    // Far enough ahead to be still in the future when it is sent.
    created: seconds() + 400,
    expires: seconds() + 520,
  })),
  params('window too long', 'window_invalid', () => ({ created: seconds() - 5, expires: seconds() + 296 })),
  params('window of nothing', 'window_invalid', () => ({ created: seconds(), expires: seconds() })),
  params('nonce too short', 'params_incomplete', ({ chance }) => ({
    nonce: freshNonce(chance).slice(0, chance.between(1, 21)),
  })),
  ...['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'].map((name): Fault => ({
    name: `parameter missing: ${name}`,
    code: 'request_signature_params_incomplete',
    make: ({ honest }) => {
      const message = honest();
      const stored = Object.entries(message.signed.params).filter(([own]) => own !== name);
      return withSigned(message, { params: Object.fromEntries(stored) });
    },
  })),
  ...covered.map((name): Fault => ({
    name: `component missing: ${name}`,
    code: 'request_signature_components_incomplete',
    make: ({ honest }) => withSigned(honest(), { components: covered.filter((text) => text !== name) }),
  })),
  {
    name: 'one byte changed',
    code: 'request_signature_digest_mismatch',
    make: ({ honest, chance }) => ({
      ...honest(),
      tamper: ({ lines, body }) => ({ lines, body: oneByteChanged(body, chance) }),
    }),
  },
  signed('signed for the relay', ({ relayUrl }, { path }) => ({
    url: relayUrl + path,
    authority: new URL(relayUrl).host,
  })),
  signed('signed for another seller', ({ world: { sellers }, chance }, { signed: { url } }) => ({
    url: chance.pick([sellers.alpha, sellers.beta, sellers.gamma].filter((seller) => seller.url !== url)).url,
  })),
  signed('other authority', ({ chance }) => ({ authority: `${chance.pick(['seller', 'evil'])}.example` })),
  signed('other method', ({ chance }) => ({ method: chance.pick(['GET', 'PUT', 'post', 'PATCH']) })),
  {
    name: 'key unknown',
    code: 'request_signature_key_unknown',
    make: ({ honest }) => withParams(honest(), { keyid: 'nobody' }),
  },
  {
    name: 'key of another principal',
    code: 'request_signature_key_unknown',
    make: ({ honest, world: { parties } }) => ({
      ...honest({ party: parties.stranger }),
      token: parties.brand.token,
    }),
  },
  {
    name: "another principal's token",
    code: 'request_signature_key_unknown',
    make: ({ honest, world: { parties } }) => ({ ...honest(), token: parties.stranger.token }),
  },
  {
    name: 'key revoked',
    code: 'request_signature_key_revoked',
    make: ({ honest, world: { revokedKey } }) =>
      withSigned(withParams(honest(), { keyid: revokedKey.kid }), { key: revokedKey.privateKey }),
  },
  {
    name: 'key of another purpose',
    code: 'request_signature_key_purpose_invalid',
    make: ({ honest, world: { webhookKey } }) =>
      withSigned(withParams(honest(), { keyid: webhookKey.kid }), { key: webhookKey.privateKey }),
  },
  {
    name: 'nonce used at this seller',
    code: 'request_signature_replayed',
    make: ({ honest, relayed, world: { sellers } }) => {
      const before = relayed();
      const seller = Object.values(sellers).find(({ url }) => url === before.signed.url);
      return honest({
        nonce: String(before.signed.params['nonce']),
        ...(seller === undefined ? {} : { seller }),
      });
    },
  },
  {
    name: 'nonce used at another seller',
    code: 'request_signature_replayed',
    make: ({ honest, relayed, chance, world: { sellers } }) => {
      const before = relayed();
      const others = [sellers.alpha, sellers.beta, sellers.gamma].filter(
        ({ url }) => url !== before.signed.url,
      );
      return honest({ nonce: String(before.signed.params['nonce']), seller: chance.pick(others) });
    },
  },
  { name: 'the same bytes again', code: 'request_signature_replayed', make: ({ relayed }) => relayed() },
];

function oneByteChanged(body: Buffer, chance: SeededRandom): Buffer {
  const changed = Buffer.from(body);
  const at = chance.between(0, body.length - 1);
  changed[at] = (body[at] ?? 0) ^ (1 << chance.between(0, 6));
  return changed;
}
