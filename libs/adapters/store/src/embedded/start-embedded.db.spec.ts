import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { must } from '@switchyard/values';
import { findBinaries } from './binaries.js';
import { ownerOfPid } from './postmaster-file.js';
import { startEmbedded, type EmbeddedServer } from './start-embedded.js';

let made: string;
let dataDir: string;
let running: EmbeddedServer[];

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'switchyard-made-'));
  const started = must(await startEmbedded({ dataDir: made, fsync: false }));
  await started.stop();
});

afterAll(() => {
  rmSync(made, { recursive: true, force: true });
});

beforeEach(() => {
  // Mode 0700, like root's home: PostgreSQL's user cannot read below it.
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-embedded-'));
  running = [];
});

afterEach(async () => {
  for (const server of running) await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Most tests begin with a cluster that was made before and stopped: making one costs half a second. */
function placeCluster(): void {
  const copied = spawnSync('cp', ['-a', `${made}/.`, dataDir]);
  if (copied.status !== 0) throw new Error('The cluster could not be copied.');
}

async function start(native?: string): Promise<EmbeddedServer> {
  const started = must(
    await startEmbedded({ dataDir, fsync: false, ...(native === undefined ? {} : { native }) }),
  );
  running.push(started);
  return started;
}

async function query<R extends pg.QueryResultRow>(url: string, text: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('the embedded PostgreSQL', () => {
  it('starts on loopback only, with its secret readable only by its owner and its log beside it', async () => {
    const server = await start();
    expect(server.adopted).toBe(false);
    const [row] = await query<{ listen: string; sockets: string; checksums: string }>(
      server.url,
      `select current_setting('listen_addresses') as listen, current_setting('unix_socket_directories') as sockets,
              current_setting('data_checksums') as checksums`,
    );
    expect(row).toEqual({ listen: '127.0.0.1', sockets: join(dataDir, 'pg'), checksums: 'on' });
    const secret = join(dataDir, 'superuser.secret');
    expect(statSync(secret).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).not.toContain(readFileSync(secret, 'utf8'));
    await expect(query(server.url.replace(/:[0-9a-f]{64}@/, ':wrong@'), 'select 1')).rejects.toThrow(
      /password/,
    );
  });

  it('accepts connections on its private socket and on its port', async () => {
    placeCluster();
    const server = await start();
    const peer = `select inet_server_port() as port`;
    expect(await query(server.url, peer)).toEqual([{ port: null }]);
    const folder = statSync(join(dataDir, 'pg'));
    expect(folder.mode & 0o077).toBe(0);
    const plain = new URL(server.url);
    plain.search = '';
    expect(await query(plain.href, peer)).toEqual([{ port: server.port }]);
  });

  it('is reached by its port if the path of its folder is too long for a socket', async () => {
    dataDir = join(dataDir, 'a-folder-with-a-long-name'.repeat(4));
    const server = await start();
    expect(new URL(server.url).search).toBe('');
    expect(await query(server.url, 'select inet_server_port() as port')).toEqual([{ port: server.port }]);
  });

  it('never runs as root', async () => {
    placeCluster();
    const server = await start();
    expect(statSync(`/proc/${server.pid}`).uid).not.toBe(0);
    // At most the capability to read below private folders is left.
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)![1]!}`);
    expect(effective & ~2n).toBe(0n);
  });

  it('has its own process group, so that signals to ours do not end it', async () => {
    placeCluster();
    const server = await start();
    const stat = readFileSync(`/proc/${server.pid}/stat`, 'utf8');
    const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
    expect(group).toBe(server.pid);
  });

  it('is adopted by a second start, and keeps its data after a stop', async () => {
    const first = await start();
    await query(first.url, 'create table kept (id int); insert into kept values (7)');
    const second = await start();
    expect([second.adopted, second.pid, second.port]).toEqual([true, first.pid, first.port]);
    await second.stop();
    expect(existsSync(join(dataDir, 'pg/postmaster.pid'))).toBe(false);
    const third = await start();
    expect(third.adopted).toBe(false);
    expect(await query(third.url, 'select id from kept')).toEqual([{ id: 7 }]);
  });

  it('is stopped when its owner is killed, even if the next start begins at that moment', async () => {
    placeCluster();
    const module = join(import.meta.dirname, '../../dist/embedded/start-embedded.js');
    const script = `
      const { startEmbedded } = await import(${JSON.stringify(module)});
      const { value } = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, fsync: false });
      process.stdout.write(String(value.pid), () => process.kill(process.pid, 'SIGKILL'));`;
    const ownerThatIsKilled = (): number =>
      Number(spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout);
    const abandoned = ownerThatIsKilled();
    expect(abandoned).toBeGreaterThan(0);
    const server = await start();
    expect([server.adopted, server.pid === abandoned, ownerOfPid(join(dataDir, 'pg'), abandoned)]).toEqual([
      false,
      false,
      'nobody',
    ]);
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is one server after two first starts at the same moment', async () => {
    const [a, b] = await Promise.all([start(), start()]);
    expect(a.pid).toBe(b.pid);
    expect([a.adopted, b.adopted].filter((adopted) => adopted)).toHaveLength(1);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('pg'))).toEqual(['pg']);
  });

  it('starts despite a pid file whose pid belongs to another process', async () => {
    placeCluster();
    const first = await start();
    const file = join(dataDir, 'pg/postmaster.pid');
    const text = readFileSync(file, 'utf8');
    await first.stop();
    writeFileSync(file, text.replace(/^\d+/, String(process.pid)));
    const again = await start();
    expect(again.adopted).toBe(false);
    expect(await query(again.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it.each(['', 'garbage\n'])(
    'starts despite a pid file that a crash left without a pid: "%s"',
    async (text) => {
      placeCluster();
      writeFileSync(join(dataDir, 'pg/postmaster.pid'), text);
      const server = await start();
      expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    },
  );

  it('reports a missing secret of an existing database, and creates no other', async () => {
    placeCluster();
    const secret = join(dataDir, 'superuser.secret');
    rmSync(secret);
    const refused = await startEmbedded({ dataDir, fsync: false });
    expect(refused.ok ? '' : refused.error.message).toContain(`${secret} is not there`);
    expect(existsSync(secret)).toBe(false);
  });

  it('starts if the install scripts of its package never ran', async () => {
    placeCluster();
    const found = must(findBinaries(dataDir));
    const installed = dirname(dirname(dirname(found.postgres)));
    const copy = join(dataDir, 'package');
    cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
    const links = JSON.parse(readFileSync(join(copy, 'native/pg-symlinks.json'), 'utf8')) as {
      target: string;
    }[];
    expect(links.length).toBeGreaterThan(0);
    for (const { target } of links) rmSync(join(copy, target), { force: true });
    const server = await start(join(copy, 'native'));
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(readdirSync(join(dataDir, 'libraries'))).toHaveLength(links.length);
  });

  it('reports a full disk if its cluster could not be created', async () => {
    const native = join(dataDir, 'native');
    mkdirSync(join(native, 'bin'), { recursive: true });
    writeFileSync(join(native, 'bin/postgres'), '');
    const initdb = '#!/bin/sh\necho "FATAL: could not write to file: No space left on device" >&2\nexit 1\n';
    writeFileSync(join(native, 'bin/initdb'), initdb, { mode: 0o755 });
    chmodSync(dataDir, 0o755);
    const refused = await startEmbedded({ dataDir, native });
    expect(refused.ok ? '' : refused.error.message).toMatch(/^The disk of .* is full: .* Free some space/);
  });

  it('reports what to do if its package is not installed', () => {
    const found = findBinaries(join(dataDir, 'libraries'), join(dataDir, 'nowhere'));
    expect(found).toMatchObject({ ok: false, error: { code: 'no_binaries' } });
  });

  it('is adopted, used and stopped by a root that has only the capabilities of a container', () => {
    placeCluster();
    const module = join(import.meta.dirname, '../../dist/embedded/start-embedded.js');
    const script = `
      const { startEmbedded } = await import(${JSON.stringify(module)});
      const start = () => startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, fsync: false });
      const [first, second] = [await start(), await start()];
      await second.value.stop();
      const third = await start();
      await third.value.stop();
      console.log(JSON.stringify({
        same: first.value.pid === second.value.pid, adopted: second.value.adopted, again: third.value.adopted,
      }));`;
    const command = [process.execPath, '--input-type=module', '-e', script];
    const few = '-all,+chown,+dac_override,+fowner,+kill,+setgid,+setuid,+setpcap';
    // An ordinary user has no capabilities to begin with.
    const words = process.getuid!() === 0 ? ['setpriv', `--bounding-set=${few}`, ...command] : command;
    const run = spawnSync(words[0]!, words.slice(1), { encoding: 'utf8' });
    expect([run.stderr, run.stdout.trim()]).toEqual(['', '{"same":true,"adopted":true,"again":false}']);
  });
});
