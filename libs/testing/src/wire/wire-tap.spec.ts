import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { modulesLoadedBy } from '../modules-loaded.js';
import { wireTapInto } from './wire-log.js';
import { judgeWire } from './wire-watch.js';
import { tapTheWire, type Exchange } from './wire-tap.js';
import { readBody, startServer } from '../start-server.js';

const secret = 'Bearer nobody-else-may-read-this';
let folder: string;
let endings: (() => unknown)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-tap-'));
  endings = [];
});

afterEach(async () => {
  for (const end of endings.reverse()) await end();
  rmSync(folder, { recursive: true });
});

/** A server that answers with what it was sent, in two chunks. */
async function echo(): Promise<string> {
  const server = await startServer(async (request, response) => {
    const body = await readBody(request);
    response.writeHead(202, { 'content-type': 'application/json', 'set-cookie': secret });
    response.write('{"heard":');
    response.end(`${body.toString('utf8')}}`);
  });
  endings.push(() => server.close());
  return server.url;
}

async function post(url: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: secret, connection: 'close' };
  return (await fetch(url, { method: 'POST', headers, body })).text();
}

const linesIn = (): readonly Exchange[] =>
  readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Exchange),
  );

/** An answer may be read before whoever wrote it hears that it is out. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('The tap', () => {
  it('records requests and answers completely and unchanged, and changes neither', async () => {
    const received: Exchange[] = [];
    endings.push(tapTheWire((exchange) => received.push(exchange)));
    const url = await echo();
    expect(await post(`${url}/mcp?x=1`, '{"ü":1}')).toBe('{"heard":{"ü":1}}');
    await until(() => received.length > 0);
    expect(received).toMatchObject([
      { method: 'POST', path: '/mcp?x=1', sent: '{"ü":1}', status: 202, answered: '{"heard":{"ü":1}}' },
    ]);
    expect(url).toBe(`http://${received[0]?.host ?? ''}`);
  });

  it('notifies every listener, and restores servers once the last one has left', async () => {
    const emitOfServers = (): unknown => Reflect.get(Server.prototype, 'emit');
    const untapped = emitOfServers();
    const [first, second]: [string[], string[]] = [[], []];
    const endFirst = tapTheWire(({ path }) => first.push(path));
    const endSecond = tapTheWire(({ path }) => second.push(path));
    const url = await echo();
    await post(`${url}/both`, '{}');
    await until(() => first.length + second.length === 2);
    endFirst();
    await post(`${url}/second`, '{}');
    await until(() => second.length === 2);
    endSecond();
    await post(`${url}/nobody`, '{}');
    expect({ first, second }).toEqual({ first: ['/both'], second: ['/both', '/second'] });
    expect(emitOfServers()).toBe(untapped);
  });
});

describe('The log of a tapped process', () => {
  it('has one line per exchange as soon as its answer is sent, only of the endpoints of tasks', async () => {
    endings.push(wireTapInto(folder));
    const url = await echo();
    for (const path of ['/webhooks/whk_1', '/v1/sellers']) await post(`${url}${path}`, '{"n":1}');
    await (await fetch(`${url}/mcp`, { headers: { connection: 'close' } })).text();
    const ofTasks = ['/mcp', '/a2a', '/v1/tasks/get_products', '/anywhere', '/relay/x'];
    for (const [nth, path] of ofTasks.entries()) {
      await post(`${url}${path}`, '{"n":1}');
      await until(() => linesIn().length > nth);
    }
    expect(linesIn().map(({ path }) => path)).toEqual(ofTasks);
  });

  it('contains no header in either direction, and so no credential', async () => {
    endings.push(wireTapInto(folder));
    await post(`${await echo()}/mcp`, '{"n":1}');
    await until(() => linesIn().length > 0);
    const [line, ...others] = linesIn();
    expect(others).toEqual([]);
    expect(Object.keys(line ?? {}).sort()).toEqual(
      ['answered', 'host', 'method', 'path', 'process', 'sent', 'status'].sort(),
    );
    expect(JSON.stringify(line)).not.toContain(secret);
  });

  it('is written by a child that the tap was loaded into, under its own name, and is complete after a sudden end', async () => {
    const preload = pathToFileURL(join(import.meta.dirname, '../../dist/wire/preload-tap.js')).href;
    const serve = `require('node:http').createServer((q, s) => q.resume().on('end', () => s.end('{"ok":true}')))
      .listen(0, '127.0.0.1', function () { process.stdout.write(String(this.address().port)); });`;
    const child = spawn(process.execPath, ['--import', preload, '-e', serve], {
      env: { ...process.env, WIRE_TAP_FOLDER: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    endings.push(() => (child.kill('SIGKILL'), ended));
    const port = await new Promise<string>((resolve) => {
      child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
    });
    await post(`http://127.0.0.1:${port}/mcp`, '{"n":1}');
    await until(() => linesIn().length > 0);
    child.kill('SIGKILL');
    await ended;
    expect(readdirSync(folder)).toEqual([`${String(child.pid)}.jsonl`]);
    expect(linesIn()).toMatchObject([{ path: '/mcp', sent: '{"n":1}', answered: '{"ok":true}' }]);
  });
});

describe('A folder that is read and removed', () => {
  it('while a process of its suite still answers, does not end that process', async () => {
    const read = join(folder, 'read');
    mkdirSync(read);
    endings.push(wireTapInto(read));
    const url = await echo();
    rmSync(read, { recursive: true });
    expect(await post(`${url}/mcp`, '{"n":1}')).toBe('{"heard":{"n":1}}');
    expect(await post(`${url}/mcp`, '{"n":2}')).toBe('{"heard":{"n":2}}');
    expect(existsSync(read)).toBe(false);
  });

  it('before a process starts, leaves that process unrecorded', async () => {
    const gone = join(folder, 'gone');
    endings.push(wireTapInto(gone));
    expect(await post(`${await echo()}/mcp`, '{"n":1}')).toBe('{"heard":{"n":1}}');
    expect(existsSync(gone)).toBe(false);
  });

  it('is loaded into a child without other modules of ours, because suites start hundreds of them', () => {
    const preload = pathToFileURL(join(import.meta.dirname, '../../dist/wire/preload-tap.js')).href;
    const loaded = modulesLoadedBy([`--import=${preload}`, '--eval', ''], folder);
    const files = loaded.filter((url) => url.startsWith('file:')).map((url) => basename(url));
    expect(files.toSorted()).toEqual(['preload-tap.js', 'wire-log.js', 'wire-tap.js']);
  });
});

describe('The watch', () => {
  const at = (path: string, sent: object, answered: object): Exchange => ({
    process: 'switchyard.mjs',
    host: '127.0.0.1:1',
    method: 'POST',
    path,
    sent: JSON.stringify(sent),
    status: 200,
    answered: JSON.stringify(answered),
  });
  const requested = at('/v1/tasks/get_products', { adcp_version: '3.1', brief: 'bikes' }, { products: 7 });

  it('counts an answer of our endpoints under its kind, task and form, and no answer of others', () => {
    const verdict = judgeWire([requested, requested], () => 'ours');
    const counted = [...verdict.held, ...verdict.unpublished];
    expect(counted).toEqual([['answer get_products 3.1 completed', 2]]);
    const others = judgeWire([requested], () => undefined);
    expect([...others.held, ...others.unpublished]).toEqual([]);
  });

  it('reports a fault once, with its count, if the schemas are available', () => {
    const { faults, held } = judgeWire([requested, requested], () => 'ours');
    const known = held.size > 0;
    expect(faults.length > 0).toBe(known);
    expect(new Set(faults).size).toBe(faults.length);
    for (const fault of faults)
      expect(fault).toMatch(/^answer get_products 3\.1 completed: .* \([2-9] times, first /);
  });

  it('attributes sealed and forwarded messages to the brand', () => {
    const call = {
      method: 'tools/call',
      params: { name: 'get_products', arguments: { adcp_version: '3.1' } },
    };
    const toSeller = at('/mcp', call, {});
    const counted = (exchanges: readonly Exchange[]): number => {
      const { held, unpublished } = judgeWire(exchanges, ({ path }) =>
        path.startsWith('/relay/') ? undefined : 'theirs',
      );
      return [...held.values(), ...unpublished.values()].reduce((sum, count) => sum + count, 0);
    };
    expect(counted([toSeller])).toBe(1);
    expect(counted([{ ...toSeller, path: '/relay/x/mcp' }, toSeller])).toBe(0);
  });
});
