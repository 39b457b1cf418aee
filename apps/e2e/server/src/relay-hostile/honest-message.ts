import type { SeededRandom } from '@switchyard/testing';
import type { HostileWorld, Party, Seller } from './hostile-world.js';
import type { SealedMessage } from './sealed-message.js';

type Json = Readonly<Record<string, unknown>>;

/** The properties of a message that are not random. */
export interface Options {
  readonly party?: Party;
  readonly seller?: Seller;
  readonly task?: string;
  /** Further members, inside the task's arguments and around them. */
  readonly args?: Json;
  readonly around?: Json;
  /** Of a buy: small, and in dollars by default. */
  readonly budget?: number;
  readonly product?: 'USD' | 'EUR';
  readonly contentType?: string;
  readonly nonce?: string;
  /** Replaces the body. */
  readonly rewrite?: (body: Json) => string | Buffer;
}

export const covered = ['@method', '@target-uri', '@authority', 'content-type', 'content-digest'] as const;

/** Returns a correct message, which reaches the seller byte for byte. Each one is different. */
export function honestMessage(
  world: HostileWorld,
  chance: SeededRandom,
  options: Options = {},
): SealedMessage {
  const { alpha, beta, gamma } = world.sellers;
  const seller = options.seller ?? chance.pick([alpha, beta, gamma]);
  const party = options.party ?? world.parties.brand;
  const task = options.task ?? chance.pick(['get_products', 'create_media_buy']);
  const args = { ...argsOf(task, chance, options), ...options.args };
  const call = seller.protocol === 'mcp' ? toolCall(task, args) : skillCall(task, args, chance);
  const params = { ...(call['params'] as Json), ...options.around };
  const body = { jsonrpc: '2.0', id: chance.between(1, 1_000_000), ...call, params };
  const text = options.rewrite?.(body) ?? JSON.stringify(body);
  const now = Math.floor(Date.now() / 1000);
  return {
    path: `/relay/${seller.slug}/${seller.protocol}`,
    token: party.token,
    signed: {
      method: 'POST',
      url: seller.url,
      authority: new URL(seller.url).host,
      components: covered,
      params: {
        created: now - 5,
        expires: now + 200,
        nonce: options.nonce ?? freshNonce(chance),
        keyid: party.key.kid,
        alg: 'ed25519',
        tag: 'ads/request-signing/v1',
      },
      key: party.key.privateKey,
    },
    contentType: options.contentType ?? 'application/json',
    body: typeof text === 'string' ? Buffer.from(text, 'utf8') : text,
  };
}

export function freshNonce(chance: SeededRandom): string {
  return Buffer.from(chance.uuid().replaceAll('-', ''), 'hex').toString('base64url');
}

/** Returns the same message, signed with other parameters. */
export function withParams(message: SealedMessage, params: SealedMessage['signed']['params']): SealedMessage {
  return { ...message, signed: { ...message.signed, params: { ...message.signed.params, ...params } } };
}

export function withSigned(message: SealedMessage, signed: Partial<SealedMessage['signed']>): SealedMessage {
  return { ...message, signed: { ...message.signed, ...signed } };
}

function argsOf(task: string, chance: SeededRandom, options: Options): Json {
  const manifest = { url: 'https://brand.example' };
  const reference = chance.uuid();
  if (task !== 'create_media_buy') return { brief: `coffee ${reference}`, brand_manifest: manifest };
  const part = {
    buyer_ref: 'p',
    product_id: options.product ?? 'USD',
    pricing_option_id: 'cpm',
    budget: options.budget ?? chance.between(1, 900),
    creative_ids: ['c'],
  };
  return {
    buyer_ref: reference,
    brand_manifest: manifest,
    start_time: 'asap',
    end_time: '2100-01-01T00:00:00Z',
    packages: [part],
  };
}

const toolCall = (task: string, args: Json): Json => ({
  method: 'tools/call',
  params: { name: task, arguments: args },
});

const skillCall = (task: string, args: Json, chance: SeededRandom): Json => ({
  method: 'message/send',
  params: {
    message: {
      kind: 'message',
      messageId: chance.uuid(),
      role: 'user',
      parts: [{ kind: 'data', data: { skill: task, parameters: args } }],
    },
  },
});
