import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateSigningKey, publicJwk } from '@switchyard/signing';
import type { Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { instanceDataOf } from './harness/own-organizations.js';
import { jsonOf, runSwitchyard } from './harness/run-switchyard.js';
import { postSealed, seal, type Addresses } from './relay/brand-agent.js';
import { publishedKeys, type PublishedKeys } from './relay/published-keys.js';
import {
  everyTask,
  sharedRelayStage,
  untilSealed,
  type Brand,
  type RelayStage,
} from './relay/relay-stage.js';
import { sealedSeller } from './relay/sealed-seller.js';
import { sealedBuy } from './relay/seller-answer.js';
import { send } from './harness/http-answer.js';

const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

// Each command is a separate process, and takes seconds to start on a busy machine.
let stage: RelayStage;
let site: PublishedKeys;
let brand: Brand;
let other: Brand;
let answered: string;
/** All issued tokens: none may be stored or printed anywhere. */
const tokens: string[] = [];

beforeAll(async () => {
  stage = await sharedRelayStage({ paper: { protocol: 'mcp' }, radio: { protocol: 'a2a' } });
  site = await publishedKeys();
  brand = await stage.brand('bikes', ['paper', 'radio']);
  other = await stage.brand('cars', ['paper']);
  tokens.push(brand.token, other.token);
  const reply = await stage.relay(brand, 'paper', 'create_media_buy', sealedBuy());
  expect(reply.status).toBe(200);
  answered = reply.record;
  const refused = await stage.relay(brand, 'paper', 'list_creatives', { adcp_version: '3.1' });
  expect(refused.code).toBe('DELEGATION_TASK_NOT_ALLOWED');
  const theirs = await stage.relay(other, 'paper', 'get_products', { adcp_version: '3.1', brief: 'x' });
  await untilSealed(stage, [answered, refused.record, theirs.record]);
});

afterAll(async () => {
  await stage.close();
  await site.close();
});

const as = <T>({ token }: Brand, ...args: readonly string[]): Promise<T> =>
  jsonOf<T>([...args, '--url', stage.instance().url, '--token', token]);
const fails = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await runSwitchyard([...args, '--data', stage.folder.path]);
  expect(code).not.toBe(0);
  return stdout + stderr;
};

/** Runs a command that must fail, and returns its JSON output. */
async function refusal(...args: readonly string[]): Promise<Json> {
  const requested = [...args, '--json', '--data', stage.folder.path];
  const { code: exit, stdout } = await runSwitchyard(requested);
  const { errors } = JSON.parse(stdout) as { errors: readonly Json[] };
  const { code, field } = errors[0] ?? {};
  return field === undefined ? { exit, code } : { exit, code, field };
}

/** Sends a request of the operator without a separate process: a read, or with a row a write. */
async function rest<T>(path: string, row?: Json): Promise<T> {
  const { text } = await send(stage.instance(), row === undefined ? 'GET' : 'POST', path, row);
  return JSON.parse(text) as T;
}

const nobody = '00000000-0000-4000-8000-000000000000';

describe('the output that scripts rely on', () => {
  const key = generateSigningKey('boats-2026');

  it('principals add --kind brand prints id and token, with keys in a file or at an address', async () => {
    const file = join(stage.folder.path, 'boats.jwks.json');
    writeFileSync(file, JSON.stringify({ keys: [publicJwk(key, ['ads_use', 'adcp_use'])] }));
    site.publish(key);
    const added = [
      await stage.cli<Json>('principals', 'add', 'boats', '--kind', 'brand', '--jwks', file),
      await stage.cli<Json>('principals', 'add', 'trains', '--kind', 'brand', '--jwks', site.jwksUri),
      await stage.cli<Json>('principals', 'add', 'agency', '--kind', 'buyer', '--jwks', file),
    ];
    for (const row of added) {
      expect(row).toEqual({ principal_id: uuid, token: expect.any(String) });
      tokens.push(String(row['token']));
    }
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(await fails('principals', 'add', 'planes', '--kind', 'brand', '--jwks', '/no/such/file')).toMatch(
      /no\/such\/file/,
    );
  });

  it('delegations grant prints its id, list shows it, revoke ends it', async () => {
    const grant = [
      ...['delegations', 'grant', '--principal', other.id, '--seller', 'radio', '--tasks'],
      ...['get_products,create_media_buy', '--until', '2099-12-31'],
      ...['--budget', '1500.25', '--currency', 'EUR', '--evidence', 'letter'],
    ];
    const granted = await stage.cli<Json>(...grant);
    expect(granted).toEqual({ delegation_id: uuid });
    const listed = await stage.cli<readonly Json[]>('delegations', 'list', '--principal', other.id);
    const [row] = listed.filter(({ delegation_id: id }) => id === granted['delegation_id']);
    expect(row).toMatchObject({
      principal_id: other.id,
      seller: 'radio',
      tasks: ['get_products', 'create_media_buy'],
      budget: '1500.25',
      currency: 'EUR',
      committed: '0',
      state: 'active',
    });
    const id = String(granted['delegation_id']);
    expect(await stage.cli('delegations', 'revoke', id, '--reason', 'over')).toMatchObject({
      delegation_id: id,
    });
    const after = await stage.cli<readonly Json[]>('delegations', 'list', '--principal', other.id);
    expect(after.find((each) => each['delegation_id'] === id)).toMatchObject({ state: 'revoked' });
    expect(
      await fails(
        'delegations',
        'revoke',
        id.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
      ),
    ).toMatch(/NOT_FOUND|no such/i);
  });

  it('delegations list prints all members of each delegation', async () => {
    const listed = await stage.cli<readonly Json[]>('delegations', 'list', '--principal', brand.id);
    expect(listed.map(({ seller }) => seller)).toEqual(['radio', 'paper']);
    for (const row of listed)
      expect(row).toEqual({
        delegation_id: uuid,
        principal_id: brand.id,
        seller: expect.any(String),
        tasks: everyTask.split(','),
        state: 'active',
        granted_at: time,
        granted_by: uuid,
        until: '2100-01-01T00:00:00.000Z',
        budget: null,
        currency: null,
        committed: null,
        evidence: 'letter of 1 November',
        revoked_at: null,
      });
  });

  it('delegations grant accepts a day or a time with its offset, and nothing else', async () => {
    const grant = (...options: readonly string[]) => [
      ...['delegations', 'grant', '--principal', other.id, '--seller', 'radio'],
      ...['--tasks', 'get_products', '--evidence', 'letter', ...options],
    ];
    const until = async (text: string): Promise<unknown> => {
      const { delegation_id: id } = await stage.cli<Json>(...grant('--until', text));
      const { delegations } = await rest<{ delegations: readonly Json[] }>(
        `/v1/delegations?principal_id=${other.id}`,
      );
      return delegations.find((delegation) => delegation['delegation_id'] === id)?.['until'];
    };
    expect(await until('2098-03-04')).toBe('2098-03-04T00:00:00.000Z');
    expect(await until('2098-03-04T00:30:00+02:00')).toBe('2098-03-03T22:30:00.000Z');
    const row = { principal_id: other.id, seller: 'radio', tasks: ['get_products'], evidence: 'letter' };
    const wrong: readonly (readonly [field: string, wishes: Json])[] = [
      ['until', { until: '2098-02-30' }],
      ['until', { until: '2098-03-04T10:00' }],
      ['until', { until: '2001-01-01' }],
      ['budget', { budget: '1500.251', currency: 'EUR' }],
      ['budget', { budget: '1e3', currency: 'EUR' }],
      ['budget', { currency: 'EUR' }],
      ['currency', { budget: '10' }],
      ['currency', { budget: '10', currency: 'XXY' }],
      ['tasks', { tasks: ['get_products', 'buy_everything'] }],
      ['seller', { seller: 'nobody' }],
      ['principal_id', { principal_id: 'nobody' }],
      ['principal_id', { principal_id: nobody }],
    ];
    for (const [field, wishes] of wrong) {
      const requested = { ...row, until: '2099-12-31', ...wishes };
      const { errors = [] } = await rest<{ errors?: readonly Json[] }>('/v1/delegations', requested);
      expect([wishes, errors.map((error) => error['field'])]).toEqual([wishes, [field]]);
    }
  });

  it('an error is JSON with a code as well, and ends the command with 1; wrong usage with 2', async () => {
    for (const id of [nobody, 'no-id'])
      for (const path of [
        'custody',
        'custody/export',
        'custody/verify',
        'delegations',
        'relay/paper/address',
      ]) {
        const { errors } = await rest<{ errors: readonly Json[] }>(`/v1/${path}?principal_id=${id}`);
        expect([path, id, errors]).toMatchObject([path, id, [{ code: 'NOT_FOUND', field: 'principal_id' }]]);
      }
    const unknown = { exit: 1, code: 'NOT_FOUND' };
    expect(await refusal('custody', 'list', '--principal', 'no-id')).toEqual({
      ...unknown,
      field: 'principal_id',
    });
    expect(await refusal('custody', 'show', 'no-id')).toEqual(unknown);
    expect(await refusal('delegations', 'revoke', nobody)).toEqual(unknown);
    expect(await refusal('custody', 'verify', '/no/such/file')).toEqual({ exit: 1, code: 'COMMAND_FAILED' });
    expect(await refusal('delegations', 'grant')).toEqual({ exit: 2, code: 'WRONG_USAGE' });
  });

  it('sellers add --relay-signature makes a seller that takes no sealed request', async () => {
    const seller = await sealedSeller({ protocol: 'mcp' });
    try {
      const added = await jsonOf<Json>(
        [
          ...[
            'sellers',
            'add',
            seller.agentUrl,
            '--slug',
            'strict',
            '--protocol',
            'mcp',
            '--dialect',
            'adcp',
          ],
          ...['--jwks-uri', `${seller.origin}/jwks.json`, '--relay-signature', '--token-stdin'],
          ...['--data', stage.folder.path],
        ],
        `${seller.token}\n`,
      );
      expect(added).toMatchObject({ slug: 'strict', state: 'live' });
      const grant = [
        '--seller',
        'strict',
        '--tasks',
        everyTask,
        '--until',
        '2100-01-01',
        '--evidence',
        'letter',
      ];
      await stage.cli('delegations', 'grant', '--principal', other.id, ...grant);
      const to = await stage.cli<Addresses>('relay', 'address', 'strict', '--principal', other.id);
      const received = await postSealed(
        to,
        other.token,
        seal(other.key, to, 'create_media_buy', sealedBuy()),
      );
      expect([received.status, received.code]).toEqual([409, 'RELAY_SELLER_WANTS_OUR_SIGNATURE']);
      expect(received.text).toContain('unsealed');
      expect(seller.received.filter(({ isSealed }) => isSealed)).toEqual([]);
      const [row] = await stage.cli<readonly Json[]>('custody', 'list', '--seller', 'strict');
      expect(row).toMatchObject({
        record_id: received.record,
        outcome: 'refused',
        code: 'RELAY_SELLER_WANTS_OUR_SIGNATURE',
      });
    } finally {
      await seller.close();
    }
  });

  it('relay address prints five addresses, null where the seller has none', async () => {
    const { url } = stage.instance();
    const callback_url = expect.stringContaining(`${url}/webhooks/`);
    expect(await stage.cli('relay', 'address', 'paper', '--principal', brand.id)).toEqual({
      relay_mcp_url: `${url}/relay/paper/mcp`,
      relay_a2a_url: null,
      seller_mcp_url: stage.seller('paper').agentUrl,
      seller_a2a_url: null,
      callback_url,
    });
    expect(await as(brand, 'relay', 'address', 'radio')).toEqual({
      relay_mcp_url: null,
      relay_a2a_url: `${url}/relay/radio/a2a`,
      seller_mcp_url: null,
      seller_a2a_url: stage.seller('radio').agentUrl,
      callback_url,
    });
  });

  /** Of a request without client, brand or campaign, at a seller without an account of ours. */
  const nobodys = {
    account: null,
    client: null,
    client_id: null,
    brand: null,
    brand_name: null,
    campaign: null,
    campaign_id: null,
  };

  it('custody list prints an array, newest first, refused requests included', async () => {
    const rows = await stage.cli<readonly Json[]>('custody', 'list', '--principal', brand.id);
    const row = {
      record_id: uuid,
      principal_id: brand.id,
      seller: 'paper',
      way: 'sealed',
      delegation_id: null,
      operation_id: null,
      body_hash: hash,
      arrived_at: time,
      ended_at: time,
      in_chain: true,
      ...nobodys,
    };
    expect(rows).toEqual([
      { ...row, task: 'list_creatives', outcome: 'refused', code: 'DELEGATION_TASK_NOT_ALLOWED' },
      {
        ...row,
        task: 'create_media_buy',
        outcome: 'answered',
        code: null,
        delegation_id: uuid,
        operation_id: uuid,
        brand: 'bikes.example',
      },
    ]);
  });

  it('custody show prints the record as the chain holds it', async () => {
    const shown = await stage.cli<{ record: Json }>('custody', 'show', answered);
    expect(shown).toEqual({
      record: expect.any(Object),
      hash,
      block: expect.any(String),
      ...nobodys,
      brand: 'bikes.example',
    });
    expect(shown.record).toMatchObject({
      id: answered,
      way: 'sealed',
      outcome: 'answered',
      arrived: { bodyHash: hash, signatureInput: expect.any(String), steps: expect.any(Array) },
      forwarded: {
        to: stage.seller('paper').agentUrl,
        bodyHash: hash,
        headersAdded: expect.arrayContaining(['authorization', 'host']),
        headersRemoved: expect.arrayContaining(['authorization']),
        credentialId: uuid,
      },
      answer: { status: 200, bodyHash: hash, complete: true },
    });
  });

  it('custody verify prints whether the chain is valid, the number of records, and the head', async () => {
    expect(await stage.cli('custody', 'verify', '--principal', brand.id)).toEqual({
      ok: true,
      records: 2,
      head: hash,
    });
  });
});

describe('a brand and its chain', () => {
  it('reads only its own records', async () => {
    const own = await as<readonly Json[]>(other, 'custody', 'list', '--seller', 'paper');
    expect(own.map(({ principal_id: id }) => id)).toEqual([other.id]);
    const asOther = ['--url', stage.instance().url, '--token', other.token, '--json'];
    for (const args of [
      ['custody', 'show', answered],
      ['custody', 'list', '--principal', brand.id],
      ['custody', 'export', '--principal', brand.id],
      ['custody', 'verify', '--principal', brand.id],
    ]) {
      const { code, stdout, stderr } = await runSwitchyard([...args, ...asOther]);
      expect([args.slice(0, 2), code]).toEqual([args.slice(0, 2), 1]);
      expect(stdout + stderr).not.toContain(brand.id);
    }
  });

  it('verifies its export on another machine, and learns which record was changed first', async () => {
    const exported = await as<Json>(brand, 'custody', 'export');
    const elsewhere = dataFolder();
    try {
      const file = join(elsewhere.path, 'chain.json');
      const verify = async (text: string, ...more: readonly string[]) => {
        writeFileSync(file, text);
        const own = ['--json', '--data', elsewhere.path];
        const done = await runSwitchyard(['custody', 'verify', file, ...own, ...more]);
        return { code: done.code, verdict: JSON.parse(done.stdout) as Json };
      };
      const whole = JSON.stringify(exported);
      const intact = { records: 2, head: hash, problems: [] };
      expect(await verify(whole)).toMatchObject({ code: 3, verdict: { verdict: 'consistent', ...intact } });
      const keys = `${stage.instance().url}/.well-known/jwks.json`;
      expect(await verify(whole, '--jwks', keys)).toMatchObject({
        code: 0,
        verdict: { verdict: 'valid', ...intact, signatures: { verified: 2, wrong: 0 } },
      });
      // A changed amount of one cent in the record, or a refusal that never happened.
      const changed = whole.replace('DELEGATION_TASK_NOT_ALLOWED', 'DELEGATION_TASK_NOT_ALLOWEB');
      const refused = await as<readonly Json[]>(brand, 'custody', 'list', '--outcome', 'refused');
      expect(await verify(changed)).toMatchObject({
        code: 1,
        verdict: { ok: false, code: 'entry_hash_mismatch', record: refused[0]?.['record_id'] },
      });
      const blocks = exported['blocks'] as readonly Json[];
      expect(await verify(JSON.stringify({ ...exported, blocks: blocks.slice(1) }))).toMatchObject({
        code: 1,
        verdict: { ok: false, head: null },
      });
      // A folder that is only named is not changed.
      expect(readdirSync(elsewhere.path)).toEqual(['chain.json']);
    } finally {
      await elsewhere.remove();
    }
  });

  it('has a record of a request that was too large to be read, from its header', async () => {
    const { relay_mcp_url: url } = await stage.address('paper', brand);
    const { status, record, code } = await announce(url ?? '', brand.token, 50_000_000);
    expect([status, code]).toEqual([413, 'RELAY_BODY_TOO_LARGE']);
    await untilSealed(stage, [record]);
    const [row] = await stage.cli<readonly Json[]>('custody', 'list', '--principal', brand.id);
    expect(row).toMatchObject({
      record_id: record,
      outcome: 'refused',
      code: 'RELAY_BODY_TOO_LARGE',
      body_hash: null,
    });
    const shown = await stage.cli<{ record: Json }>('custody', 'show', record);
    expect(shown.record['arrived']).toMatchObject({ bytes: 50_000_000, bodyHash: '', isUnread: true });
    expect(await stage.cli('custody', 'verify', '--principal', brand.id)).toMatchObject({
      ok: true,
      records: 3,
    });
    // For an unknown principal there is no record, because there is no chain for it.
    expect(await announce(url ?? '', 'sy_nobody', 50_000_000)).toMatchObject({ status: 401, record: '' });
  });
});

it('no token is in a table, in a file of the data folder, or in the server’s output', async () => {
  expect(tokens.length).toBeGreaterThan(4);
  const has = (text: string): boolean => tokens.some((token) => text.includes(token));
  const texts = await stage.database.texts();
  expect(texts.filter(({ text }) => has(text)).map(({ place }) => place)).toEqual([]);
  expect(has(stage.instance().stdout() + stage.instance().stderr())).toBe(false);
  const data = instanceDataOf(stage.folder.path);
  const files = readdirSync(data, { recursive: true, encoding: 'utf8' })
    .map((name) => join(data, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  // PostgreSQL may remove a file meanwhile.
  const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'latin1') : '');
  expect(files.filter((path) => has(textOf(path)))).toEqual([]);
  expect(files.length).toBeGreaterThan(100);
});

/** Announces a body of that many bytes, sends a few of them, and returns the answer. */
function announce(
  url: string,
  token: string,
  bytes: number,
): Promise<{ readonly status: number; readonly record: string; readonly code?: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': String(bytes),
        authorization: `Bearer ${token}`,
      },
    });
    sent.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', () => undefined);
      answer.on('close', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const code = /"code":"(\w+)"/.exec(text)?.[1];
        const record = String(answer.headers['switchyard-custody-record'] ?? '');
        sent.destroy();
        resolve({ status: answer.statusCode ?? 0, record, ...(code === undefined ? {} : { code }) });
      });
      answer.on('end', () => sent.destroy());
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    sent.write('{"jsonrpc":"2.0"');
  });
}
