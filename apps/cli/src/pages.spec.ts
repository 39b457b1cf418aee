import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { must } from '@switchyard/values';
import { InstanceClient } from './instance-client.js';
import { getPages, shownPage } from './pages.js';

const pages = [['a', 'b'], ['c', 'd'], ['e']];
const requested: URLSearchParams[] = [];
let server: Server;
let instance: InstanceClient;

beforeAll(async () => {
  server = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://here').searchParams;
    requested.push(query);
    const at = Number(query.get('cursor') ?? 0);
    const next = at + 1 < pages.length ? { next_cursor: String(at + 1) } : {};
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ things: pages[at]?.map((id) => ({ id })), ...next }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  instance = new InstanceClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, undefined);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const things = { path: '/v1/things', name: 'things' };

async function read(options: object) {
  const found = must(await getPages(instance, things, { state: 'open' }, options));
  return { ids: found.rows.map(({ id }) => id as string).join(''), more: found.more };
}

it('a list prints one page with the next cursor, or all pages with --all and the same filters', async () => {
  expect(await read({})).toEqual({ ids: 'ab', more: 'More rows: add --cursor 1, or --all.' });
  expect(await read({ cursor: '2' })).toEqual({ ids: 'e', more: '' });
  requested.length = 0;
  expect(await read({ all: true, limit: '2' })).toEqual({ ids: 'abcde', more: '' });
  expect(requested.map(String)).toEqual([
    'state=open&limit=2',
    'state=open&limit=2&cursor=1',
    'state=open&limit=2&cursor=2',
  ]);
});

it('a list prints only rows as JSON, and the next page on standard error', () => {
  const page = { rows: [{ id: 'a' }], more: 'There is more.' };
  expect(shownPage(page, 'a table')).toEqual({
    ok: true,
    value: { json: [{ id: 'a' }], text: 'a table\n\nThere is more.', note: 'There is more.' },
  });
  expect(shownPage({ ...page, more: '' }, 'a table')).toMatchObject({ value: { text: 'a table' } });
});
