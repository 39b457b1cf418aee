import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSellerKeys, defaultAdmissionLimits, type Connection, type Egress } from '@switchyard/sellers';
import { generateSigningKey, publicJwk, type SigningKey } from '@switchyard/signing';
import { alarmRepository, connectionDirectory, seenKeys, signerDirectory } from '@switchyard/store';
import { ok, type JsonValue } from '@switchyard/values';
import { openHttpHarness, type HttpHarness } from '../../main/testkit/http-harness.js';
import type { Refusal } from '../../keys/record-refusals.js';
import { createKeyAlarms, type KeyAlarms } from '../../keys/key-alarms.js';
import type { createWebhookIntake } from './webhook-intake.js';
import { watchWebhooks } from './webhook-verdicts.js';
import { report, signed, specInbox, type SpecInbox, type SpecSeller } from '../testkit/inbox.js';

/**
 * The keys that a webhook is verified with, from the seller's documents to the endpoint: revoked keys, outdated
 * revocation lists, publishers' pins, and the stored verdict of a refusal.
 */
let inbox: SpecInbox;
let http: HttpHarness;
let seller: SpecSeller;
let documents: Record<string, JsonValue>;
const refusals: Refusal[] = [];

/** Serves documents by address; any other address gets 404. */
const egress = {
  request: ({ url }: { readonly url: string }) => {
    const found = documents[url];
    const body = Buffer.from(found === undefined ? '' : JSON.stringify(found));
    return Promise.resolve(ok({ status: found === undefined ? 404 : 200, headers: {}, body }));
  },
} as unknown as Egress;
let alarms: KeyAlarms;

beforeAll(async () => {
  inbox = await specInbox();
  alarms = createKeyAlarms({
    alarms: alarmRepository(inbox.store, inbox.clock),
    connections: connectionDirectory(inbox.store),
    signers: signerDirectory(inbox.store),
    seenKeys: seenKeys(inbox.store, inbox.clock),
    limits: defaultAdmissionLimits,
    clock: inbox.clock,
    onUnexpected: (error) => {
      throw error;
    },
  });
});
afterAll(() => inbox.close());

/** Endpoints of a new instance on the same database. */
async function open(of: SpecSeller, more: Partial<Connection> = {}): Promise<void> {
  let url = '';
  const intake: ReturnType<typeof createWebhookIntake> = inbox.intake({
    keys: createSellerKeys({ egress, clock: inbox.clock }),
    baseUrl: () => url,
    verdicts: watchWebhooks(alarms, {
      note: (refusal) => void refusals.push(refusal),
      settled: () => Promise.resolve(),
    }),
    connections: { byId: () => Promise.resolve({ ...of.connection, ...more }) },
  });
  http = await openHttpHarness({}, { webhooks: intake, clock: inbox.clock });
  ({ url } = http);
}

beforeEach(async () => {
  seller = await inbox.seller();
  inbox.clock.advance(60_000);
  refusals.length = 0;
  const { origin } = new URL(seller.connection.agentUrl);
  documents = {
    [`${origin}/.well-known/brand.json`]: { agents: [{ type: 'sales', url: seller.connection.agentUrl }] },
    [`${origin}/.well-known/jwks.json`]: { keys: [publicJwk(seller.key, ['ads_use'])] },
  };
});

async function received(key: SigningKey = seller.key): Promise<readonly [number, string | null]> {
  const { url, bytes, headers } = signed(http.url, inbox.clock.now(), seller, report(seller), { key });
  const answer = await fetch(url, { method: 'POST', headers, body: bytes as unknown as string });
  return [answer.status, answer.headers.get('www-authenticate')];
}
const refusedAs = (code: string) => [401, `Signature error="webhook_signature_${code}"`];
const listAt = (kids: readonly string[], updated: number): void => {
  const { origin } = new URL(seller.connection.agentUrl);
  const iso = (at: number): string => new Date(at).toISOString();
  documents[`${origin}/.well-known/governance-revocations.json`] = {
    revoked_kids: [...kids],
    updated: iso(updated),
    next_update: iso(updated + 600_000),
  };
};

describe('a webhook at the endpoint', () => {
  it("is accepted only with the key from its seller's documents", async () => {
    await open(seller);
    expect(await received()).toEqual([200, null]);
    expect(await received(generateSigningKey('strange'))).toEqual(refusedAs('key_unknown'));
    await http.close();
  });

  it('is refused with a key that its seller revoked, and all verification steps are stored', async () => {
    listAt([seller.key.kid], inbox.clock.now());
    await open(seller);
    expect(await received()).toEqual(refusedAs('key_revoked'));
    expect(refusals).toMatchObject([
      {
        code: 'webhook_signature_key_revoked',
        keyid: seller.key.kid,
        agentUrl: seller.connection.agentUrl,
        organizationId: inbox.scope.organizationId,
      },
    ]);
    const steps = refusals[0]?.steps ?? [];
    expect(steps.map(({ step }) => step)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expect(steps.map((step) => step.ok)).toEqual([...Array<boolean>(8).fill(true), false]);
    await http.close();
  });

  it("is refused while its seller's revocation list is older than its grace period", async () => {
    listAt([], inbox.clock.now() - 86_400_000);
    await open(seller);
    expect(await received()).toEqual(refusedAs('revocation_stale'));
    expect(refusals[0]?.steps.at(-1)).toMatchObject({ step: '9', ok: false });
    listAt([], inbox.clock.now());
    inbox.clock.advance(30 * 60_000);
    listAt([], inbox.clock.now());
    expect(await received()).toEqual([200, null]);
    await http.close();
  });

  it('is accepted with the key that a publisher pins, and no longer with that of the key set', async () => {
    const pinned = generateSigningKey(`pinned-${seller.connection.slug}`);
    documents['https://news.com/.well-known/adagents.json'] = {
      authorized_agents: [
        {
          url: seller.connection.agentUrl,
          authorized_for: 'ads',
          signing_keys: [publicJwk(pinned, ['ads_use'])],
        },
      ],
    };
    const capabilities = { ...seller.connection.capabilities, publisherDomains: ['news.com'] };
    await open(seller, { capabilities: capabilities as NonNullable<Connection['capabilities']> });
    expect(await received(pinned)).toEqual([200, null]);
    expect(await received()).toEqual(refusedAs('key_unknown'));
    expect(refusals.at(-1)?.steps.at(-1)).toMatchObject({ step: '7', ok: false });
    await http.close();
  });

  it('with another kind of proof than registered raises one alarm, and an unknown sender cannot cause a row each time', async () => {
    await open(seller);
    const made = signed(http.url, inbox.clock.now(), seller, report(seller));
    const headers = {
      'content-type': 'application/json',
      authorization: 'Bearer somebodys-token-that-is-long-enough',
    };
    for (const wait of [0, 0, 9_999, 1]) {
      inbox.clock.advance(wait);
      const answer = await fetch(made.url, {
        method: 'POST',
        headers,
        body: made.bytes as unknown as string,
      });
      expect(answer.headers.get('www-authenticate')).toBe('Signature error="webhook_mode_mismatch"');
    }
    await alarms.settled();
    const open_ = await alarmRepository(inbox.store, inbox.clock).list(inbox.scope, { isOpen: true });
    expect(open_.filter(({ kind }) => kind === 'webhook_mode_mismatch')).toMatchObject([
      { subject: `seller ${seller.connection.slug}`, count: 2 },
    ]);
    expect(JSON.stringify(open_)).not.toContain('somebodys-token');
    await http.close();
  });
});
