import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@switchyard/testing';
import { buyRequest, Catalogue } from './harness/buy-request.js';
import { dataFolder, postmasterOf } from './harness/data-folder.js';
import { ownerView } from './harness/database.js';
import { callTask } from './harness/call-task.js';
import {
  startFirst,
  startInstance,
  wholeMarket,
  type Instance,
  type TokenAnswer,
} from './harness/instance.js';
import { marketTokens } from './harness/market.js';
import { isAlive, processesOf, signal } from './harness/processes.js';
import { jsonOf, runSwitchyard } from './harness/run-switchyard.js';
import { spellings } from './harness/spellings.js';
import { waitUntil } from './harness/wait-until.js';

const stack = /^\s+at .+:\d+:\d+\)?$/m;

describe('one instance on a data folder', () => {
  const folder = dataFolder();
  const data = ['--data', folder.path];
  let instance: Instance;
  /** Standard output and standard error of all commands that this suite ran. */
  const reported: string[] = [];
  const run: typeof runSwitchyard = async (args, stdin) => {
    const finished = await runSwitchyard(args, stdin);
    reported.push(finished.stdout, finished.stderr);
    return finished;
  };

  beforeAll(async () => {
    // A port that no other suite's instance gets while this one is down.
    instance = await startFirst(folder.path, ['--port', String(await freePort()), ...wholeMarket]);
  });

  afterAll(async () => {
    await instance.kill();
    await folder.remove();
  });

  it('a second start says that one is running, and where, without a stack trace', async () => {
    const second = await run(['up', ...data]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`process ${String(instance.pid)}, at ${instance.url}`);
    expect(second.stderr).not.toMatch(stack);
    expect((await fetch(`${instance.url}/healthz`)).status).toBe(200);
  });

  it('without a terminal prints no token, and says how to get one', () => {
    expect(instance.stdout()).toContain(`npx switchyard token --data ${folder.path}`);
    expect(instance.stdout() + instance.stderr()).not.toMatch(/\bsy_[A-Za-z0-9_-]{20}/);
  });

  it('`token --json` prints only the addresses and a token that works at all of them', async () => {
    const { code, stdout, stderr } = await run(['token', ...data, '--json']);
    const answer = JSON.parse(stdout) as TokenAnswer;
    expect({ code, stderr, keys: Object.keys(answer) }).toEqual({
      code: 0,
      stderr: '',
      keys: ['url', 'mcp_url', 'a2a_url', 'token'],
    });
    expect(answer).toMatchObject({
      url: instance.url,
      mcp_url: `${instance.url}/mcp`,
      a2a_url: `${instance.url}/a2a`,
    });
    expect(answer.token).toMatch(/^sy_[A-Za-z0-9_-]{43}$/);
    for (const endpoint of ['REST', 'MCP', 'A2A'] as const)
      expect((await callTask(endpoint, answer, 'get_media_buys', { adcp_version: '3.1' })).errors).toEqual(
        [],
      );
  });

  it.each(['sellers list', 'buys', 'ledger spend', 'ledger verify', 'credentials list', 'token'])(
    '`%s --json` prints only JSON',
    async (command) => {
      const { code, stdout, stderr } = await run([...command.split(' '), ...data, '--json']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(() => JSON.parse(stdout) as unknown).not.toThrow();
    },
  );

  it('a failure with --json is JSON on standard output and text on standard error', async () => {
    const { code, stdout, stderr } = await run(['buys', 'show', 'mb_nobody', ...data, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ errors: [{ code: 'NOT_FOUND' }] });
    expect(stderr).toMatch(/There is no media buy with this id/);
  });

  it('wrong usage ends with exit code 2, and prints the correct usage', async () => {
    for (const args of [
      ['up', '--port', 'twelve'],
      ['sellers', 'add', 'https://a.example', '--dialect', 'smtp'],
      ['no-such-command'],
      ['buys', '--data'],
    ]) {
      const { code, stderr } = await run(args);
      expect([args, code]).toEqual([args, 2]);
      expect(stderr).toMatch(/error: /);
      expect(stderr).not.toMatch(stack);
    }
  });

  it('a command for a folder without a running instance says so and how to start one', async () => {
    const { code, stderr } = await run(['buys', '--data', join(folder.path, 'nowhere')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/No instance is running[\s\S]+Start one with: npx switchyard up --data/);
  });

  it('shows no secret in its output, tables or logs, except the requested token', async () => {
    const canary = `canary-${String(Date.now())}-secret-of-a-seller`;
    const handed = (await jsonOf<TokenAnswer>(['token', ...data])).token;
    // The market's agents are onboarded already: one more seller, with a token that can be searched for.
    const slow = await run(
      [
        'sellers',
        'add',
        `http://127.0.0.1:${String(await freePort())}/mcp`,
        '--slug',
        'canary',
        '--protocol',
        'mcp',
        '--dialect',
        'ads',
        '--token-stdin',
        ...data,
        '--json',
      ],
      `${canary}\n`,
    );
    expect(slow.code).toBe(1);
    const catalogue = await Catalogue.read(instance, 2);
    await callTask(
      'REST',
      instance,
      'create_media_buy',
      buyRequest([catalogue.packageOf('prompt'), catalogue.packageOf('human')]),
    );
    await run(['sellers', 'list', ...data]);
    await run(['credentials', 'list', ...data]);

    const admin = readFileSync(join(folder.path, 'admin.secret'), 'utf8').trim();
    const keyring = JSON.parse(readFileSync(join(folder.path, 'keyring.json'), 'utf8')) as unknown;
    const secrets = [
      canary,
      handed,
      instance.token,
      admin,
      readFileSync(join(folder.path, 'postgres/superuser.secret'), 'utf8').trim(),
      ...Object.values(marketTokens(folder.path)),
      ...longTexts(keyring),
    ];
    expect(secrets.length).toBeGreaterThan(16);
    const database = await ownerView(folder.path);
    const stored = await database.texts();
    await database.close();
    expect(stored.length).toBeGreaterThan(100);
    for (const secret of secrets) {
      for (const spelling of spellings(secret)) {
        const found = stored.filter(({ text }) => text.includes(spelling)).map(({ place }) => place);
        expect(found).toEqual([]);
        expect(instance.stderr()).not.toContain(spelling);
        expect(readFileSync(join(folder.path, 'postgres/postgres.log'), 'latin1')).not.toContain(spelling);
        // The start prints one token for its reader, and no other secret.
        if (secret !== instance.token) expect(instance.stdout()).not.toContain(spelling);
        // These commands were not requested to print one.
        if (secret !== handed) expect(reported.join('\n')).not.toContain(spelling);
      }
    }
  });

  it('makes every file with a secret readable only by its owner', () => {
    for (const name of [
      'admin.secret',
      'keyring.json',
      'postgres/superuser.secret',
      'sandbox/identities.json',
    ])
      expect([name, (statSync(join(folder.path, name)).mode & 0o777).toString(8)]).toEqual([name, '600']);
    expect((statSync(folder.path).mode & 0o077).toString(8)).toBe('0');
  });

  it('stops at SIGTERM with exit code 0; more signals change nothing, and no process keeps running', async () => {
    const postmaster = postmasterOf(folder.path)?.pid ?? 0;
    const market = processesOf(join(folder.path, 'sandbox'));
    expect([isAlive(postmaster), market.length]).toEqual([true, 1]);
    signal(instance.pid, 'SIGTERM');
    signal(instance.pid, 'SIGTERM');
    signal(instance.pid, 'SIGINT');
    await waitUntil('it says that it stops', () =>
      instance.stderr().includes('Stopping.') ? true : undefined,
    );
    signal(instance.pid, 'SIGTERM');
    expect(await instance.ended).toBe(0);
    expect(instance.stderr().match(/Stopping\./g)).toHaveLength(1);
    expect(instance.stderr()).not.toMatch(stack);
    expect([isAlive(postmaster), market.filter(isAlive), postmasterOf(folder.path)]).toEqual([
      false,
      [],
      undefined,
    ]);
    expect(processesOf(folder.path)).toEqual([]);
    await expect(fetch(`${instance.url}/healthz`)).rejects.toThrow();
    expect(readdirSync(folder.path)).not.toContain('instance.json');
  });

  it.each([
    // As for a closed terminal: output fails, and the signal is sent.
    ['its terminal is closed', { closeOutput: true, end: 'SIGHUP' }],
    ['it is killed', { closeOutput: false, end: 'SIGKILL' }],
  ] as const)('leaves no process running after %s', async (_, { closeOutput, end }) => {
    const again = await startInstance(folder.path, ['--market', 'prompt']);
    expect(processesOf(folder.path).length).toBeGreaterThan(2);
    if (closeOutput) again.closeOutput();
    signal(again.pid, end);
    await again.ended;
    await waitUntil('all processes of the folder end', () =>
      processesOf(folder.path).length === 0 ? true : undefined,
    );
    expect(postmasterOf(folder.path)).toBeUndefined();
  });

  it('refuses to start without the master keys of its database, names the remedy, and creates no others', async () => {
    const [keyring, aside] = ['keyring.json', 'keyring.aside'].map((name) => join(folder.path, name));
    renameSync(keyring ?? '', aside ?? '');
    try {
      const other = await run(['up', '--no-sandbox', ...data]);
      expect(other.code).toBe(1);
      expect(other.stderr).toMatch(/sealed under other master keys[\s\S]+keyring\.json of the installation/);
      expect(existsSync(keyring ?? '')).toBe(false);
    } finally {
      renameSync(aside ?? '', keyring ?? '');
    }
    // What watches over the database ends just after it.
    await waitUntil('all processes of the folder end', () =>
      processesOf(folder.path).length === 0 ? true : undefined,
    );
  });

  it('starts again on the same port, with its sellers live and without requests to them', async () => {
    const again = await startInstance(folder.path, wholeMarket);
    try {
      expect(again.url).toBe(instance.url);
      const sellers = await jsonOf<{ slug: string; state: string }[]>(['sellers', 'list', ...data]);
      expect(sellers.filter(({ state }) => state === 'live')).toHaveLength(12);
    } finally {
      expect(await again.stop()).toBe(0);
    }
  });
});

/** Returns the texts in a document that are long enough to be keys. */
function longTexts(value: unknown): string[] {
  if (typeof value === 'string') return value.length >= 32 && !/^[0-9a-f-]{36}$/.test(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(longTexts) : [];
}

describe('ports', () => {
  const folder = dataFolder();
  let occupied: { readonly port: number; readonly server: Server };

  beforeAll(async () => {
    const server = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    occupied = { port, server };
  });

  afterAll(async () => {
    await new Promise((resolve) => occupied.server.close(resolve));
    await folder.remove();
  });

  it('a requested port that is in use is refused with a message before a database is created', async () => {
    const { code, stderr } = await runSwitchyard([
      'up',
      '--data',
      folder.path,
      '--port',
      String(occupied.port),
      '--no-sandbox',
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain(`Port ${String(occupied.port)} on 127.0.0.1 is taken`);
    expect(stderr).not.toMatch(stack);
    expect([existsSync(join(folder.path, 'postgres')), processesOf(folder.path)]).toEqual([false, []]);
  });
});
