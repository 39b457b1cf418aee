import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startWebdavServer } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { startBucket } from '../testkit/bucket.js';
import { fetchFiles, sendFiles } from './file-places.js';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-places-'));
let server: Awaited<ReturnType<typeof startWebdavServer>>;
let bucket: Awaited<ReturnType<typeof startBucket>>;
beforeAll(async () => {
  server = await startWebdavServer('Basic c2VjcmV0');
  bucket = await startBucket('AKIDSPEC');
});
afterAll(async () => {
  await server.close();
  await bucket.close();
  rmSync(folder, { recursive: true });
});

let count = 0;

/** Settings with a connector whose `put` is given; it fetches by GET, and lists what the test says. */
function envWith(put: string, names: readonly string[] = []) {
  // Another file each time: what was loaded once stays loaded.
  const file = join(folder, `connector-${(count += 1)}.cjs`);
  const list = JSON.stringify(names.map((name) => ({ name, bytes: 3 })));
  writeFileSync(
    file,
    `exports.connectors = [{ kind: 'files', scheme: 'dav', title: 'D', put: ${put},
      get: async (path, ask) => (await ask({ method: 'GET', path: '/' + encodeURIComponent(path) })).body,
      list: async () => ${list} }];`,
  );
  return { SWITCHYARD_CONNECTORS: file, SWITCHYARD_PLACE_AUTHORIZATION: 'Basic c2VjcmV0' };
}
const putting = (request: string): string =>
  `async ({ path, body }, ask) => { const { status } = await ask(${request}); if (status > 299) throw new Error('status ' + status); }`;
const plainPut = putting(`{ method: 'PUT', path: '/' + path, body }`);
const at = () => `dav+${server.url}`;

it('sends files to a place of a connector with the credential, and fetches those that are new and have a usable name', async () => {
  const statement = join(folder, 'nova.csv');
  writeFileSync(statement, 'a,b');
  const env = envWith(plainPut, ['nova.csv', '../evil.csv', '.hidden', 'a\u0007b', 'x'.repeat(201)]);
  expect(must(await sendFiles([statement], at(), env))).toEqual([{ name: 'nova.csv', bytes: 3 }]);
  expect(server.files.get('/files/nova.csv')?.toString()).toBe('a,b');
  const to = join(folder, 'in');
  expect(must(await fetchFiles(at(), to, env))).toEqual({
    fetched: [{ name: 'nova.csv', bytes: 3 }],
    left: 4,
  });
  expect(readdirSync(to)).toEqual(['nova.csv']);
  expect(readFileSync(join(to, 'nova.csv'), 'utf8')).toBe('a,b');
  expect(must(await fetchFiles(at(), to, env))).toMatchObject({ fetched: [], left: 5 });
  expect(existsSync(join(folder, 'evil.csv'))).toBe(false);
});

it.each([
  ['a path that leads elsewhere', `{ method: 'PUT', path: '/../other', body }`],
  ['an encoded slash', `{ method: 'PUT', path: '/..%2fother', body }`],
  ['another host', `{ method: 'PUT', path: '@evil.example/', body }`],
  ['a destination elsewhere', `{ method: 'MOVE', path: '/a', destination: '/../b' }`],
  ['a credential of its own', `{ method: 'PUT', path: '/a', headers: { Authorization: 'x' }, body }`],
])('sends nothing for a connector that asks for %s', async (_, request) => {
  const asked = server.asked.length;
  const sent = await sendFiles([join(folder, 'nova.csv')], at(), envWith(putting(request)));
  expect(sent).toMatchObject({
    ok: false,
    error: { message: 'A connector asked for something beside the place.' },
  });
  expect(server.asked).toHaveLength(asked);
});

it('says what is wrong with a place, and never the credential', async () => {
  const file = join(folder, 'nova.csv');
  const env = envWith(plainPut);
  const wrong = await Promise.all([
    sendFiles([file], 'dav+http://127.0.0.1:1/files', env),
    sendFiles([file], `other+${server.url}`, env),
    sendFiles([file], 'dav+https://user:pw@files.example/x', env),
    sendFiles([file], at(), { ...env, SWITCHYARD_PLACE_AUTHORIZATION: 'Basic wrong' }),
    sendFiles([file], `${at()}/never/made`, env),
    sendFiles([join(folder, 'none.csv')], at(), env),
    sendFiles([file], 'dav+http://192.0.2.1/files', env),
  ]);
  expect(wrong.map((one) => (one.ok ? 'sent' : one.error.message))).toEqual([
    'http://127.0.0.1:1/files cannot be reached: connect_failed.',
    'No connector brings places of the scheme other: name its package in SWITCHYARD_CONNECTORS.',
    'A place is given as s3://BUCKET/PREFIX or SCHEME+https://HOST/FOLDER.',
    `${server.url} refused SWITCHYARD_PLACE_AUTHORIZATION (401).`,
    'status 409',
    expect.stringMatching(/ENOENT/),
    'http://192.0.2.1/files cannot be reached: blocked_address.',
  ]);
  expect(JSON.stringify(wrong)).not.toContain('Basic');
});

it('sends to a bucket and fetches from it in the same way, but for what lies below', async () => {
  const env = {
    SWITCHYARD_BUCKET_ENDPOINT: bucket.url,
    SWITCHYARD_BUCKET_KEY_ID: 'AKIDSPEC',
    SWITCHYARD_BUCKET_SECRET: 'hunter2',
  };
  mkdirSync(join(folder, 'out'), { recursive: true });
  writeFileSync(join(folder, 'out/a.csv'), 'one');
  must(await sendFiles([join(folder, 'out/a.csv')], 's3://figures/in', env));
  must(await sendFiles([join(folder, 'out/a.csv')], 's3://figures/in/below', env));
  const fetched = must(await fetchFiles('s3://figures/in', join(folder, 'from-bucket'), env));
  expect(fetched).toEqual({ fetched: [{ name: 'a.csv', bytes: 3 }], left: 0 });
});
