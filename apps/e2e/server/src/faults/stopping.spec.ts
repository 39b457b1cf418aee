import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { dataFolder, ownerUrlOf, postmasterOf } from '../harness/data-folder.js';
import { startInstance, type Instance } from '../harness/instance.js';
import { childrenOf, isAlive, processesOf, signal } from '../harness/processes.js';
import { childEnvironment, switchyardBin } from '../harness/run-switchyard.js';
import { waitUntil } from '../harness/wait-until.js';

/** SIGTERM ends the process in any state of the database. */
const tenants = 1_000;

describe('an instance of many organizations at shutdown', () => {
  const folder = dataFolder();
  let instance: Instance;
  /** The database server and all its sessions, each in its own process group. */
  let database: readonly number[] = [];

  beforeAll(async () => {
    // Longer than all that ends here, and short enough to wait for.
    const environment = { SWITCHYARD_STOP_SECONDS: '6' };
    instance = await startInstance(folder.path, ['--no-sandbox'], environment);
    await manyTenants(folder.path);
    await instance.stop();
    instance = await startInstance(folder.path, ['--no-sandbox'], environment);
  });

  afterAll(async () => {
    await instance.kill();
    for (const pid of database) signal(pid, 'SIGKILL');
    await waitUntil('the database is gone', () => (database.some(isAlive) ? undefined : true));
    for (const pid of processesOf(folder.path)) signal(pid, 'SIGKILL');
    await folder.remove();
  });

  const freeze = (): void => {
    const { pid } = postmasterOf(folder.path) ?? { pid: 0 };
    database = [pid, ...childrenOf(pid)];
    for (const pid of database) signal(pid, 'SIGSTOP');
  };

  it('ends with 0 and its database stopped, with no work in progress', async () => {
    expect(await instance.stop()).toBe(0);
    expect(postmasterOf(folder.path)).toBeUndefined();
    instance = await startInstance(folder.path, ['--no-sandbox'], { SWITCHYARD_STOP_SECONDS: '6' });
  });

  it('ends the open streams of changes, and does not wait for them', async () => {
    const headers = { authorization: `Bearer ${instance.token}` };
    const opened = async (): Promise<ReadableStreamDefaultReader<Uint8Array>> => {
      const answer = await fetch(`${instance.url}/v1/changes`, { headers });
      const reader = answer.body?.getReader();
      let text = '';
      while (reader !== undefined && !text.includes('event: ready'))
        text += Buffer.from((await reader.read()).value ?? []).toString('utf8');
      if (reader === undefined) throw new Error('The stream has no body.');
      return reader;
    };
    const readers = await Promise.all(Array.from({ length: 5 }, opened));
    expect(await instance.stop()).toBe(0);
    // The server ended each of them; an interrupted one would throw.
    for (const reader of readers) for (let done = false; !done;) ({ done } = await reader.read());
    instance = await startInstance(folder.path, ['--no-sandbox'], { SWITCHYARD_STOP_SECONDS: '6' });
  });

  it('ends while the database is frozen, and reports that not everything was closed', async () => {
    freeze();
    expect(await instance.stop()).toBe(1);
    expect(instance.stderr()).toContain('The next start finishes it');
  });

  it('ends without a database', async () => {
    for (const pid of database) signal(pid, 'SIGKILL');
    await waitUntil('the frozen database is gone', () => (database.some(isAlive) ? undefined : true));
    instance = await startInstance(folder.path, ['--no-sandbox'], { SWITCHYARD_STOP_SECONDS: '6' });
    const { pid } = postmasterOf(folder.path) ?? { pid: 0 };
    const sessions = childrenOf(pid);
    for (const each of [pid, ...sessions]) signal(each, 'SIGKILL');
    await waitUntil('the database is gone', () => (isAlive(pid) ? undefined : true));
    expect([0, 1]).toContain(await instance.stop());
  });
});

describe('an instance that is stopped during its start', () => {
  it('ends with 0 and does not print that it keeps running', async () => {
    const folder = dataFolder();
    const args = ['up', '--no-sandbox', '--data', folder.path];
    const child = spawn(process.execPath, [switchyardBin, ...args], { env: childEnvironment() });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.resume();
    const ended = new Promise((resolve) => child.once('close', resolve));
    // It is made before the database is.
    const secret = join(folder.path, 'admin.secret');
    await waitUntil('it is starting', () => (existsSync(secret) ? true : undefined));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(stdout).not.toContain('It keeps running');
    await folder.remove();
  });
});

async function manyTenants(data: string): Promise<void> {
  const owner = new pg.Client({ connectionString: ownerUrlOf(data) });
  await owner.connect();
  try {
    await owner.query(
      `insert into organization (id, slug, name, domain, is_public, created_at)
       select gen_random_uuid(), 'tenant-' || n, 'Tenant ' || n, 'tenant-' || n || '.example', false, now()
       from generate_series(1, $1::int) n`,
      [tenants],
    );
  } finally {
    await owner.end();
  }
}
