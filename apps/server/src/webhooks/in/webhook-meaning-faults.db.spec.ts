import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connectionDirectory } from '@switchyard/store';
import { createConnection, createOrganization } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { applyInbox } from './apply-inbox.js';
import { bookedAt, report, specInbox, taskUpdate, type Posting, type SpecSeller } from '../testkit/inbox.js';

/**
 * Wrong, odd and repeated contents of webhooks, one test per class: signed by the seller, posted over HTTP, applied by
 * the real workers, and tested by their effect.
 */
let seller: SpecSeller;

const inbox = await specInbox();
afterAll(() => inbox.close());
beforeEach(async () => {
  seller = await inbox.seller();
  inbox.clock.advance(1);
});

const text = (raw: string): Buffer => Buffer.from(raw, 'utf8');
const apply = () => applyInbox(inbox.deps, inbox.scope);
const states = async (of = seller): Promise<readonly string[]> =>
  (await inbox.admin.list(inbox.caller, { seller: of.connection.slug }))
    .map(({ state, reason }) => (reason === undefined ? state : `${state}:${reason}`))
    .sort();
const spendOf = async (of = seller, scope = inbox.scope): Promise<bigint> =>
  (await inbox.deps.ledger.deliveredBy(scope, of.mediaBuyId)).reduce(
    (sum, delivered) => sum + delivered.spendMicros,
    0n,
  );

/** Posts and applies. Returns the answer. */
async function received(body: unknown, posting: Posting = {}): Promise<readonly [number, string]> {
  inbox.clock.advance(1);
  const answer = await inbox.post(seller, body, posting);
  const reported = (answer.headers.get('www-authenticate') ?? '') + (await answer.text());
  await apply();
  return [answer.status, /error="([^"]+)"|"code":"([^"]+)"/.exec(reported)?.slice(1).find(Boolean) ?? ''];
}
/** The envelope of a report as text, with members put in front of it. */
const withFront = (front: string): Buffer => text(`{${front},${JSON.stringify(report(seller)).slice(1)}`);
const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

describe('ambiguous JSON: refused, and nothing is posted', () => {
  const around = (bytes: readonly number[]): Buffer =>
    Buffer.concat([
      text('{"note":"'),
      Buffer.from(bytes),
      text('",'),
      text(JSON.stringify(report(seller)).slice(1)),
    ]);
  const malformed: readonly (readonly [name: string, body: () => Buffer])[] = [
    ['65 levels of nesting', () => withFront(`"x":${nested(64)}`)],
    [
      'the same key twice, ten levels down',
      () => withFront(`"x":${nested(10).replace('1', '{"k":1,"k":1}')}`),
    ],
    ['the same key in two spellings', () => withFront('"x":{"a":1,"\\u0061":2}')],
    ['the same key twice in a list of lists', () => withFront('"x":[[[{"k":null,"k":null}]]]')],
    ['__proto__ twice', () => withFront('"x":{"__proto__":1,"__proto__":2}')],
    [
      'two byte order marks',
      () => Buffer.concat([text('\ufeff\ufeff'), text(JSON.stringify(report(seller)))]),
    ],
    ['UTF-16', () => Buffer.from(JSON.stringify(report(seller)), 'utf16le')],
    ['a byte that is no UTF-8', () => around([0xff])],
    ['an overlong spelling', () => around([0xc0, 0xaf])],
    ['a surrogate spelled in UTF-8', () => around([0xed, 0xa0, 0x80])],
    ['a character cut off', () => around([0xe2, 0x82])],
    ['a code point beyond Unicode', () => around([0xf4, 0x90, 0x80, 0x80])],
    ['a raw NUL in a text', () => around([0x00])],
    ['a raw line break in a text', () => around([0x0a])],
    ['1e309', () => withFront('"x":1e309')],
    ['-1e309', () => withFront('"x":-1e309')],
    ['NaN', () => withFront('"x":NaN')],
    ['Infinity', () => withFront('"x":-Infinity')],
    ['an octal number', () => withFront('"x":010')],
    ['a hexadecimal number', () => withFront('"x":0x10')],
    ['a comma too many', () => text(JSON.stringify(report(seller)).replace(/}$/, ',}'))],
    ['a comment', () => text(`/* */${JSON.stringify(report(seller))}`)],
    ['single quotes', () => withFront("'x':1")],
  ];
  it.each(malformed)('%s', async (_name, body) => {
    expect(await received(body())).toEqual([401, 'webhook_body_malformed']);
    expect([await spendOf(), (await states()).filter((state) => !state.startsWith('refused'))]).toEqual([
      0n,
      [],
    ]);
  });

  it('64 levels are accepted', async () => {
    expect(await received(withFront(`"x":${nested(63)}`))).toEqual([200, '']);
    expect(await spendOf()).toBe(10_000_000n);
  });
});

describe('characters that PostgreSQL cannot store', () => {
  const nul = '\u0000';
  it.each<[string, () => JsonObject, readonly [number, string], readonly string[]]>([
    [
      'in the key',
      () => report(seller, { key: `key-${nul}-0123456789` }),
      [400, 'missing_idempotency_key'],
      ['quarantined:missing_idempotency_key'],
    ],
    [
      'in the id of the buy',
      () => {
        const { result, ...rest } = report({ ...seller, sellerMediaBuyId: `their${nul}` });
        return { ...rest, result: result as JsonObject };
      },
      [200, ''],
      ['quarantined:unknown_buy'],
    ],
    [
      'in the id of a package',
      () => report({ ...seller, packageRef: `p${nul}` }),
      [200, ''],
      ['quarantined:unknown_package'],
    ],
    [
      'in the ids of two packages, whose reason is named once',
      () => {
        const { result, ...rest } = report({ ...seller, packageRef: `p${nul}` });
        const { media_buy_deliveries: deliveries, ...around } = result as {
          readonly media_buy_deliveries: JsonObject[];
        };
        const twice = deliveries.map(({ by_package: rows, ...delivery }) => {
          const [row] = rows as JsonObject[];
          return { ...delivery, by_package: [row ?? {}, { ...row, package_id: `q${nul}` }] };
        });
        return { ...rest, result: { ...around, media_buy_deliveries: twice } };
      },
      [200, ''],
      ['quarantined:unknown_package'],
    ],
    [
      'in a message that is not stored as text',
      () => ({ ...report(seller), message: `a${nul}b` }),
      [200, ''],
      ['applied'],
    ],
  ])('NUL %s', async (_where, body, answer, ends) => {
    expect(await received(body())).toEqual(answer);
    expect(await states()).toEqual(ends);
  });

  it('NUL in the id of a task: quarantined, and the task continues', async () => {
    const posting = { address: seller.taskAddress };
    expect(await received(taskUpdate(seller, 'completed', { task_id: `task${nul}` }), posting)).toEqual([
      200,
      '',
    ]);
    expect(await states()).toEqual(['quarantined:unknown_task']);
  });
});

describe('numbers that a double cannot hold', () => {
  const withSpend = (spend: string): Buffer =>
    text(JSON.stringify(report(seller, { spend: 424242 })).replaceAll('"spend":424242', `"spend":${spend}`));

  it.each([
    ['0.1 and 0.2 as they are written', '0.300000', 300_000n],
    ['more decimals than a double has', '1.23456749999999999999', 1_234_567n],
    ['a power of ten', '1.25e1', 12_500_000n],
    ['zero with a sign', '-0.0', 0n],
  ])('%s: posted to the micro', async (_name, spend, micros) => {
    expect(await received(withSpend(spend))).toEqual([200, '']);
    expect(await spendOf()).toBe(micros);
  });

  it.each(['9007199254740993', '123456789012345678901234567890', '1e300', '-1e-2'])(
    '%s: quarantined, and nothing is posted',
    async (spend) => {
      expect(await received(withSpend(spend))).toEqual([200, '']);
      expect(await states()).toEqual([
        expect.stringMatching(/^quarantined:.*(?:bad|absurd|negative)_amount/),
      ]);
      expect(await spendOf()).toBe(0n);
    },
  );
});

describe('a negative amount', () => {
  it('in one row quarantines the whole report, and nothing is posted', async () => {
    const body = JSON.stringify(report(seller));
    const row = `{"package_id":"${seller.packageRef}","spend":-5,"measurement_window":"c7"},`;
    expect(await received(text(body.replace('"by_package":[', `"by_package":[${row}`)))).toEqual([200, '']);
    expect(await states()).toEqual(['quarantined:negative_amount']);
    expect(await spendOf()).toBe(0n);
  });
});

describe('one change that is sent several times', () => {
  const impairment = (key: string, more: JsonObject = {}): JsonObject => ({
    ...taskUpdate(seller, 'working', { idempotency_key: key, notification_id: 'imp-9' }),
    result: {
      notification_type: 'impairment',
      media_buy_id: seller.sellerMediaBuyId,
      impairment_id: 'imp-9',
      resource_type: 'audience',
      resource_id: 'aud-1',
      package_ids: [seller.packageRef],
      transition: { to: 'suspended' },
      reason_code: 'consent_expired',
      observed_at: '2026-11-21T11:00:00Z',
      ...more,
    },
  });
  const entries = async (): Promise<number> =>
    (await inbox.deps.ledger.entriesOf(inbox.scope, seller.mediaBuyId)).length;
  const key = (at: number): string => `impairment-${seller.legId}-${String(at)}`;

  it('a notification_id under a new key: stored, without a second effect', async () => {
    const posting = { address: seller.taskAddress };
    await received(impairment(key(1)), posting);
    await received(impairment(key(2)), posting);
    expect([await states(), await entries()]).toEqual([['applied', 'stale:already_recorded'], 1]);
  });

  it('one notification_id under one key, from both addresses of its sender: stored once', async () => {
    await received(impairment(key(1)), { address: seller.taskAddress });
    await received(impairment(key(1)), { address: seller.reportAddress });
    expect([await states(), await entries()]).toEqual([['applied', 'duplicate'], 1]);
  });

  it('one change under two keys, from both addresses of its sender: one effect', async () => {
    await received(impairment(key(1)), { address: seller.taskAddress });
    await received(impairment(key(2)), { address: seller.reportAddress });
    expect([await states(), await entries()]).toEqual([['applied', 'stale:already_recorded'], 1]);
  });

  it('one report under one key, from two addresses at the same moment: posted once', async () => {
    const body = report(seller);
    await Promise.all(
      [seller.reportAddress, seller.taskAddress, seller.reportAddress, seller.taskAddress].map((address) =>
        inbox.post(seller, body, { address }),
      ),
    );
    await apply();
    expect(await spendOf()).toBe(10_000_000n);
    expect((await states()).filter((state) => state === 'applied')).toHaveLength(1);
  });

  it('one report under two keys, from two addresses: the figure counts once', async () => {
    const body = report(seller);
    await received(body);
    await received({ ...body, idempotency_key: key(3) }, { address: seller.taskAddress });
    expect(await spendOf()).toBe(10_000_000n);
  });
});

describe('the object of an event', () => {
  it('is named by its body: an address with another operation changes nothing', async () => {
    const other = await inbox.seller();
    const url = `${inbox.url}/webhooks/${seller.taskAddress}?operation_id=${other.sellerOperationId}&task=${other.legId}`;
    expect(await received(taskUpdate(seller, 'completed'), { url })).toEqual([200, '']);
    expect((await inbox.deps.ports.store.leg(inbox.scope, seller.legId))?.status).toBe('completed');
    expect((await inbox.deps.ports.store.leg(inbox.scope, other.legId))?.status).toBe('working');
  });

  it("is never another tenant's buy at the same seller", async () => {
    const scope = { organizationId: (await createOrganization(inbox.store)).id };
    const { agentUrl, form, slug } = seller.connection;
    const connection = await createConnection(inbox.store, scope.organizationId, { agentUrl, form, slug });
    const theirs = await bookedAt(inbox.deps, scope, connection, seller.key, { modes: {} });
    expect(await received(report({ ...seller, sellerMediaBuyId: theirs.sellerMediaBuyId }))).toEqual([
      200,
      '',
    ]);
    await applyInbox(inbox.deps, scope);
    expect(await states()).toEqual(['quarantined:unknown_buy']);
    expect([await spendOf(theirs, scope), await spendOf()]).toEqual([0n, 0n]);
    // At the address registered for the other tenant, the same report is posted there, and only there.
    await inbox.post(theirs, report(theirs));
    await apply();
    await applyInbox(inbox.deps, scope);
    expect([await spendOf(theirs, scope), await spendOf()]).toEqual([10_000_000n, 0n]);
  });

  it("is never another tenant's operation: the event is quarantined, and neither task changes", async () => {
    const scope = { organizationId: (await createOrganization(inbox.store)).id };
    const { agentUrl, form, slug } = seller.connection;
    const connection = await createConnection(inbox.store, scope.organizationId, { agentUrl, form, slug });
    const theirs = await bookedAt(inbox.deps, scope, connection, seller.key, { modes: {} });
    const update = taskUpdate(seller, 'completed', { operation_id: theirs.sellerOperationId });
    expect(await received(update, { address: seller.taskAddress })).toEqual([200, '']);
    await applyInbox(inbox.deps, scope);
    expect(await states()).toEqual(['quarantined:operation_id_unknown']);
    const { store } = inbox.deps.ports;
    expect((await store.leg(inbox.scope, seller.legId))?.status).toBe('working');
    expect((await store.leg(scope, theirs.legId))?.status).toBe('working');
  });

  it('has its delivery posted after the connection was disabled, because the buy still costs money', async () => {
    const { connection } = seller;
    const directory = connectionDirectory(inbox.store);
    await directory.updateState(inbox.scope, connection, { state: 'disabled' }, inbox.clock.now());
    expect(await received(report(seller))).toEqual([200, '']);
    expect(await spendOf()).toBe(10_000_000n);
  });
});
