import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataFolder } from './harness/data-folder.js';
import { ownerView, type OwnerView } from './harness/database.js';
import { callTask, endpointNames } from './harness/call-task.js';
import type { Instance } from './harness/instance.js';
import { jsonOf, runSwitchyard } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';
import { openOrganization } from './harness/shared-instance.js';

/** Principals that an operator creates with commands, at the endpoints of the built product. */
const folder = dataFolder();
let instance: Instance;
let database: OwnerView;

// Each command is a separate process.
beforeAll(async () => {
  instance = await openOrganization(folder.path, []);
  database = await ownerView(folder.path);
});
afterAll(async () => {
  await database.close();
  await instance.stop();
  await folder.remove();
});

interface Credential {
  readonly principal_id: string;
  readonly token: string;
  readonly username: string;
  readonly password: string;
  readonly previous_until?: string;
}

interface Listed {
  readonly name: string;
  readonly revoked_at?: string;
  readonly tokens: readonly { readonly token_id: string; readonly expires_at: string }[];
}

const principals = <T>(...args: readonly string[]): Promise<T> =>
  jsonOf<T>(['principals', ...args, '--data', folder.path]);

/** Sends one request with this token to every endpoint. Returns an empty result or the error code for each. */
async function requested(
  task: string,
  authorization: string,
  args: object = {},
): Promise<readonly unknown[]> {
  const received = [];
  for (const endpoint of endpointNames) {
    const { body, errors } = await callTask(
      endpoint,
      { url: instance.url, headers: { authorization } },
      task,
      args,
    );
    const { error } = body as { readonly error?: { readonly code?: string } };
    received.push(errors[0]?.code ?? error?.code ?? 'open');
  }
  return received;
}
const everywhere = (code: string): readonly string[] => endpointNames.map(() => code);
const bearer = ({ token }: Pick<Credential, 'token'>): string => `Bearer ${token}`;

describe('a token created in a terminal', () => {
  it('is shown once: no list, file, row or log contains it, and the database stores its hash', async () => {
    const made = await principals<Credential>('add', 'agency', '--kind', 'buyer');
    expect(await requested('get_media_buys', bearer(made))).toEqual(everywhere('open'));
    const listed = await principals<readonly Listed[]>('list');
    expect(listed.map(({ name }) => name)).toContain('agency');
    expect(JSON.stringify(listed)).not.toContain(made.token);
    const places = (await database.texts()).filter(({ text }) => text.includes(made.token.slice(3)));
    expect(places).toEqual([]);
    expect(instance.stdout() + instance.stderr()).not.toContain(made.token);
    const [row] = await database.rows<{ length: number }>(
      `select length(token_hash) as length from principal_token where principal_id = $1`,
      [made.principal_id],
    );
    expect(row).toEqual({ length: 32 });
  });

  it('allows only its own permissions, per area and kind', async () => {
    const allowed = ['--allow', 'products:read,media_buys:read'];
    const made = await principals<Credential>('add', 'reader', '--kind', 'service', ...allowed);
    expect(await requested('get_media_buys', bearer(made))).toEqual(everywhere('open'));
    for (const [task, args] of [
      ['list_creatives', {}],
      ['get_media_buy_delivery', {}],
      ['get_signals', { signal_spec: 'x' }],
      ['update_media_buy', { media_buy_id: 'mb_1', updates: { status: 'paused' } }],
    ] as const)
      expect([task, await requested(task, bearer(made), args)]).toEqual([
        task,
        everywhere('INSUFFICIENT_PERMISSIONS'),
      ]);
    const less = await principals<Credential>('token', 'reader', '--allow', 'products:read');
    expect(await requested('get_media_buys', bearer(less))).toEqual(everywhere('INSUFFICIENT_PERMISSIONS'));
    const more = ['principals', 'token', 'reader', '--allow', 'ledger:read', '--data', folder.path];
    expect((await runSwitchyard(more)).code).toBe(1);
  });

  it('expires at its time', async () => {
    const made = await principals<Credential>('add', 'brief', '--kind', 'buyer', '--expires', '1s');
    await waitUntil('the token has ended', async () =>
      (await requested('get_media_buys', bearer(made)))[0] === 'AUTH_INVALID' ? true : undefined,
    );
    expect(await requested('get_media_buys', bearer(made))).toEqual(everywhere('AUTH_INVALID'));
    expect(await requested('get_products', bearer(made), { brief: 'x' })).toEqual(everywhere('AUTH_INVALID'));
  });

  it('rotates: both are valid for the overlap, and without an overlap the old one ends at once', async () => {
    const first = await principals<Credential>('add', 'turning', '--kind', 'buyer');
    const second = await principals<Credential>('rotate', 'turning', '--overlap', '1h');
    expect(Date.parse(second.previous_until ?? '')).toBeGreaterThan(Date.now());
    for (const credential of [first, second])
      expect(await requested('get_media_buys', bearer(credential))).toEqual(everywhere('open'));
    const listed = await principals<readonly Listed[]>('list');
    const tokens = listed.find(({ name }) => name === 'turning')?.tokens ?? [];
    expect(tokens).toHaveLength(2);
    const newest = tokens.toSorted((one, other) => (one.expires_at < other.expires_at ? 1 : -1))[0];
    const third = await principals<Credential>(
      'rotate',
      'turning',
      ...['--token-id', newest?.token_id ?? '', '--overlap', '0s'],
    );
    expect(await requested('get_media_buys', bearer(second))).toEqual(everywhere('AUTH_INVALID'));
    expect(await requested('get_media_buys', bearer(third))).toEqual(everywhere('open'));
  });

  it('is revoked from the next request on, alone or with its principal', async () => {
    const credential = await principals<Credential>('add', 'leaving', '--kind', 'buyer');
    const two = await principals<Credential>('token', 'leaving', '--basic');
    const basic = `Basic ${Buffer.from(`${two.username}:${two.password}`).toString('base64')}`;
    expect(await requested('get_media_buys', basic)).toEqual(everywhere('open'));
    const listed = await principals<readonly Listed[]>('list');
    const [oldest] = listed.find(({ name }) => name === 'leaving')?.tokens ?? [];
    await principals('revoke', '--token-id', oldest?.token_id ?? '');
    expect(await requested('get_media_buys', bearer(credential))).toEqual(everywhere('AUTH_INVALID'));
    expect(await requested('get_media_buys', basic)).toEqual(everywhere('open'));
    await principals('revoke', 'leaving');
    expect(await requested('get_media_buys', basic)).toEqual(everywhere('AUTH_INVALID'));
    const after = await principals<readonly Listed[]>('list');
    expect(after.find(({ name }) => name === 'leaving')?.revoked_at).toEqual(expect.any(String));
  });
});
