import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { acceptWebhook, type AcceptedWebhook, type WebhookRegistration } from '@switchyard/events';
import { dialects } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import {
  generateSigningKey,
  memoryReplayStore,
  noRevocations,
  publicJwk,
  signRequest,
  type SigningKey,
} from '@switchyard/signing';
import { seededRandom, type SeededRandom } from '@switchyard/testing';
import { err, ok, type JsonObject } from '@switchyard/values';

/** Results of all deliveries, compared with the expected ones. */
export interface DeliveryFigures {
  deliveries: number;
  /** Accepted deliveries with a fault that must be refused. */
  wronglyAccepted: number;
  /** Correct deliveries that were not answered `200`. */
  wronglyRefused: number;
  /** Deliveries that were answered `200` and had no effect. */
  lost: number;
  /** Effects beyond the first one for a (sender, key). */
  doubled: number;
  readonly byFault: Map<string, number>;
}

export const noFigures = (): DeliveryFigures => ({
  ...{ deliveries: 0, wronglyAccepted: 0, wronglyRefused: 0, lost: 0, doubled: 0 },
  byFault: new Map(),
});

export interface Sent {
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

export interface Signing {
  readonly body: Buffer;
  readonly key: SigningKey;
  readonly url: string;
  readonly at: number;
  readonly tag?: string;
  readonly nonce?: string;
  readonly contentType?: string;
}

type Fault = (of: { readonly genuine: Sent; readonly signing: Signing; readonly others: SigningKey }) => Sent;

const base = 'https://buyer.example/webhooks/';
const without = (sent: Sent, name: string): Sent => ({
  ...sent,
  headers: sent.headers.filter(([text]) => text.toLowerCase() !== name),
});
const changed = (sent: Sent, name: string, change: (value: string) => string): Sent => ({
  ...sent,
  headers: sent.headers.map(([text, value]) => [text, text.toLowerCase() === name ? change(value) : value]),
});

/** Faults of a delivery, or of one made in its place: none may have an effect. */
const faults: Readonly<Record<string, Fault>> = {
  'sent again as it was': ({ genuine }) => genuine,
  'another body under the signature': ({ genuine }) => ({
    ...genuine,
    body: Buffer.concat([genuine.body, Buffer.from(' ')]),
  }),
  'signed by another seller': ({ signing, others }) => sign({ ...signing, key: others }),
  'signed by nobody whom we know': ({ signing }) => sign({ ...signing, key: generateSigningKey('stranger') }),
  "signed by a stranger under the seller's key id": ({ signing }) =>
    sign({ ...signing, key: { ...generateSigningKey('stranger'), kid: signing.key.kid } }),
  'signed for another address': ({ signing, genuine }) => ({
    ...sign({ ...signing, url: `${base}another` }),
    url: genuine.url,
  }),
  'signed as a request': ({ signing }) => sign({ ...signing, tag: dialects.ads.requestTag }),
  'signed in the other dialect': ({ signing }) => sign({ ...signing, tag: dialects.adcp.webhookTag }),
  'signed ten minutes ago': ({ signing }) => sign({ ...signing, at: signing.at - 600_000 }),
  'signed in two minutes': ({ signing }) => sign({ ...signing, at: signing.at + 120_000 }),
  'a nonce that is too short': ({ signing }) => sign({ ...signing, nonce: 'AAAA' }),
  'no digest': ({ genuine }) => without(genuine, 'content-digest'),
  'no signature': ({ genuine }) => without(genuine, 'signature'),
  'no signature at all': ({ genuine }) => without(without(genuine, 'signature'), 'signature-input'),
  'a signature with a byte changed': ({ genuine }) =>
    changed(genuine, 'signature', (value) =>
      value.replace(/:(.)/, (_all, item) => (item === 'A' ? ':B' : ':A')),
    ),
  'a second label of the same name': ({ genuine }) =>
    changed(genuine, 'signature-input', (value) => `${value}, ${value}`),
  'plain text': ({ signing }) => sign({ ...signing, contentType: 'text/plain' }),
  'a member that comes twice': ({ signing }) =>
    sign({ ...signing, body: Buffer.from(signing.body.toString().replace(/^\{/, '{"status":"failed",')) }),
  'no JSON': ({ signing }) => sign({ ...signing, body: signing.body.subarray(1) }),
};

/**
 * Delivers the webhooks of a story to its inbox: signed by their sellers, verified as at an endpoint, and mixed with
 * deliveries with one fault each, drawn from the seed, and with retries of a sender that missed our answer.
 */
export class DeliveryEndpoint {
  readonly #chance: SeededRandom;
  readonly #keys: ReadonlyMap<string, SigningKey>;
  readonly #replays;
  readonly #figures: DeliveryFigures;
  readonly #now: () => number;

  constructor(
    seed: number,
    sellers: readonly Connection[],
    { figures, now }: { readonly figures: DeliveryFigures; readonly now: () => number },
  ) {
    this.#chance = seededRandom(seed);
    this.#keys = new Map(sellers.map(({ agentUrl, slug }) => [agentUrl, generateSigningKey(`key-${slug}`)]));
    this.#replays = memoryReplayStore(100_000, now);
    this.#figures = figures;
    this.#now = now;
  }

  /** Delivers a webhook. Returns the accepted ones, in the order of their arrival. */
  async bring(registration: WebhookRegistration, body: JsonObject): Promise<readonly AcceptedWebhook[]> {
    const { sellerAgentUrl } = registration;
    const others = [...this.#keys].find(([agentUrl]) => agentUrl !== sellerAgentUrl)?.[1];
    const key = this.#keys.get(sellerAgentUrl);
    if (key === undefined || others === undefined) throw new Error('There are three sellers.');
    const bytes = Buffer.from(JSON.stringify(body));
    const signing: Signing = { body: bytes, key, url: base + registration.id, at: this.#now() };
    const genuine = sign(signing);
    const accepted: AcceptedWebhook[] = [];
    const right = async (sent: Sent, what: string): Promise<void> => {
      const judged = await this.#judge(sent, registration, what);
      if (judged === undefined) this.#figures.wronglyRefused += 1;
      else accepted.push(judged);
    };
    const wrong = async (): Promise<void> => {
      const name = this.#chance.pick(Object.keys(faults).slice(1));
      await this.#refuse(name, { genuine, signing, others }, registration);
    };
    await wrong();
    await right(genuine, 'right');
    await this.#refuse('sent again as it was', { genuine, signing, others }, registration);
    // The same bytes with a new signature: the sender has not received our answer.
    if (this.#chance.between(0, 2) === 0) await right(sign(signing), 'retried');
    // The first copy counts: a later body with its key is answered, and has no effect.
    if (this.#chance.between(0, 5) === 0) {
      const other = Buffer.from(JSON.stringify({ ...body, result: { media_buy_id: 'another' } }));
      await right(sign({ ...signing, body: other }), 'another body under a known key');
    }
    await wrong();
    return accepted;
  }

  async #refuse(name: string, of: Parameters<Fault>[0], registration: WebhookRegistration): Promise<void> {
    const fault = faults[name];
    if (fault === undefined) throw new Error('It is one of the table.');
    const judged = await this.#judge(fault(of), registration, name);
    if (judged !== undefined) this.#figures.wronglyAccepted += 1;
  }

  async #judge(
    sent: Sent,
    registration: WebhookRegistration,
    what: string,
  ): Promise<AcceptedWebhook | undefined> {
    this.#figures.deliveries += 1;
    this.#figures.byFault.set(what, (this.#figures.byFault.get(what) ?? 0) + 1);
    const judged = await acceptWebhook(
      { message: { method: 'POST', ...sent }, registration, form: '3.1', newId: randomUUID() },
      {
        keys: { resolve: (keyid) => Promise.resolve(this.#resolve(keyid)) },
        replays: this.#replays,
        revocations: noRevocations,
      },
      this.#now(),
    );
    return judged.ok ? judged : undefined;
  }

  #resolve(keyid: string) {
    for (const [agentUrl, key] of this.#keys)
      if (key.kid === keyid) return ok({ jwk: publicJwk(key, ['ads_use']), agentUrl });
    return err('key_unknown' as const);
  }
}

/** A webhook as its seller signs it. */
export function sign({ body, key, url, at, tag, nonce, contentType = 'application/json' }: Signing): Sent {
  const created = Math.floor(at / 1000);
  const signature = signRequest({
    ...{ method: 'POST', url, headers: { 'content-type': contentType }, body },
    ...{ keyid: key.kid, alg: key.alg, privateKey: key.privateKey },
    ...{ tag: tag ?? dialects.ads.webhookTag, created, expires: created + 300 },
    nonce: nonce ?? Buffer.from(randomUUID()).toString('base64url'),
  });
  const headers = [
    ['Host', 'buyer.example'],
    ['Content-Type', contentType],
  ] as const;
  return { url, body, headers: [...headers, ...Object.entries(signature)] };
}
