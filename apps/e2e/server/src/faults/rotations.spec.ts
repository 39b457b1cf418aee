import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startKmsDouble, type KmsDouble } from '@switchyard/testing';
import { list, type Json } from '../harness/buy-request.js';
import { callTask } from '../harness/call-task.js';
import { dataFolder } from '../harness/data-folder.js';
import { startInstance, type Instance } from '../harness/instance.js';
import { admin } from '../harness/own-everything.js';
import { plainProduct, plainSeller, type PlainSeller } from '../harness/plain-seller.js';
import { runSwitchyard } from '../harness/run-switchyard.js';
import { waitUntil } from '../harness/wait-until.js';

/**
 * Everything that is secret is replaced while buyers go on asking: the seller's credential, the buyer's token, the master
 * key (from the keyring to a key service, and to another key there) and the keys that sign. Requests arrive at a fixed rate,
 * whatever the answers take: 10 a second, which two cores carry that do other work too; `E2E_RATE=50` on a machine of its own.
 */
const perSecond = Number(process.env['E2E_RATE'] ?? 10);
const folder = dataFolder();
let instance: Instance;
let desk: PlainSeller;
let kms: KmsDouble;
let secondKey: string;
let token: string;
const answers: string[] = [];
const underWay = new Set<Promise<void>>();
let arrivals: NodeJS.Timeout;

beforeAll(async () => {
  kms = await startKmsDouble();
  secondKey = kms.addKey();
  instance = await startInstance(folder.path, ['--no-sandbox'], {
    // One buyer asks as often as a whole agency.
    SWITCHYARD_RATE_READS: '6000/6000',
    SWITCHYARD_RATE_COMBINED: '6000/6000',
    AWS_ENDPOINT_URL_KMS: kms.endpoint,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'an-id',
    AWS_SECRET_ACCESS_KEY: 'a-secret',
    SWITCHYARD_KMS_KEY_IDS: `${kms.keyArn},${secondKey}`,
  });
  desk = await plainSeller(
    (tool) => ({
      json: JSON.stringify(
        tool === 'get_products' ? { status: 'completed', products: [plainProduct] } : { media_buys: [] },
      ),
    }),
    {
      takes: () => ['token-one', 'token-two'],
      // So that a key of ours signs every question.
      capabilities: { request_signing: { supported: true, required_for: ['get_products'] } },
    },
  );
  const input = { input: desk.agentUrl, slug: 'desk', token: 'token-one' };
  const added = await admin(instance, 'POST', '/v1/sellers/add', input);
  if (added['state'] !== 'live') throw new Error(JSON.stringify(added));
  const grants = [{ role: 'trader', scope: 'organization' }];
  const buyer = await admin(instance, 'POST', '/v1/principals', { name: 'buyer', kind: 'person', grants });
  token = String(buyer['token']);
  arrivals = setInterval(() => {
    const one: Promise<void> = ask().finally(() => underWay.delete(one));
    underWay.add(one);
  }, 1_000 / perSecond);
});
afterAll(async () => {
  clearInterval(arrivals);
  await Promise.all(underWay);
  await desk.close();
  await instance.stop();
  await kms.close();
  await folder.remove();
});

async function ask(): Promise<void> {
  const answer = await callTask('REST', { url: instance.url, token }, 'get_products', {
    adcp_version: '3.1',
    buying_mode: 'brief',
    brief: 'everything',
  }).catch((error: unknown) => error as Error);
  if (answer instanceof Error) return void answers.push(answer.message);
  const row = list(answer.body['sellers']).find(({ seller }) => seller === 'desk');
  const [status, code] = [row?.['status'], row?.['code']].map((word) =>
    typeof word === 'string' ? word : '',
  );
  answers.push([answer.httpStatus, status, code].join(' ').trim());
}

/** What came of the requests that arrived while `work` ran and just after it, or were under way at its beginning. */
async function whileAsked<T>(work: () => Promise<T>): Promise<T> {
  answers.length = 0;
  const done = await work();
  await waitUntil('requests are answered beside it', () => answers.length >= perSecond || undefined);
  await Promise.all(underWay);
  expect([...new Set(answers)]).toEqual(['200 answered']);
  return done;
}

async function cli(secret: string, ...args: readonly string[]): Promise<Json> {
  const { code, stdout, stderr } = await runSwitchyard([...args, '--json', '--data', folder.path], secret);
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
  return JSON.parse(stdout) as Json;
}

describe('while requests arrive at a fixed rate, none fails', () => {
  it('when the credential of a seller is replaced', async () => {
    const { credential_id: id } = await admin(instance, 'GET', '/v1/sellers/desk');
    const rotated = await whileAsked(() => cli('token-two', 'credentials', 'rotate', String(id)));
    expect(rotated).toMatchObject({ version: 2, state: 'current' });
  });

  it('when the token of the buyer is replaced, and the one before is revoked once it is not used any more', async () => {
    await whileAsked(async () => {
      const [buyer] = list((await admin(instance, 'GET', '/v1/principals?principal=buyer'))['principals']);
      const before = list(buyer?.['tokens']);
      expect(before).toHaveLength(1);
      const minted = await admin(instance, 'POST', '/v1/principals/buyer/tokens', {});
      token = String(minted['token']);
      await Promise.all(underWay);
      for (const { token_id: id } of before) await admin(instance, 'DELETE', `/v1/tokens/${String(id)}`);
    });
  });

  it('when the master key moves from the keyring to a key service, and to another key there', async () => {
    for (const key of [kms.keyArn, secondKey]) {
      const moved = await whileAsked(() => cli('', 'credentials', 'rewrap', '--to', key));
      expect(moved).toMatchObject({ kms_key_id: key, left: 0 });
      expect(list(moved['under'])).toEqual([{ kms_key_id: key, records: expect.any(Number) }]);
    }
  });

  it('when the next keys that sign for the buyer and for the organization are published', async () => {
    await whileAsked(async () => {
      const { state } = await cli('', 'keys', 'rotate', '--principal', 'buyer');
      expect(state).toBe('published');
      await cli('', 'keys', 'rotate', '--proofs');
    });
  });
});
