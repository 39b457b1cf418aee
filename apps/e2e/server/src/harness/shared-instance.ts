import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pg from 'pg';
import { ownerUrlOf, postmasterOf } from './data-folder.js';
import { generousRates } from './generous-rates.js';
import { startInstance, type Instance } from './instance.js';
import type { Days } from './market.js';
import { rememberOrganization } from './own-organizations.js';
import { admin } from './own-everything.js';
import { isAlive } from './processes.js';
import { sandboxMarket, type SandboxMarket } from './sandbox-market.js';

/*
 * One running product for the suites of this process that need no settings of their own: a start costs more than the
 * tests of most suites. Spec files of a process share one module graph, so that this module has one instance. Each
 * suite gets an organization, and a sandbox market of its own. Rules for such a suite:
 *
 * - It asserts only on its organization. `ownerView` shows its rows alone, by row-level security.
 * - It does not stop, kill or restart the instance, changes none of its settings, and tries no rate limit.
 * - What it reads of `/metrics` is compared with an earlier reading; output begins with its own.
 * - Callers without credentials reach the instance's first organization, so it does not try them.
 * - Its admin is not the operator of the instance: a grant for another principal needs evidence, and the test controller
 *   refuses it.
 * - The gate has bought at each seller of the market, and canceled it: the market's books show that buy too.
 */
interface Shared {
  readonly instance: Instance;
  readonly secret: string;
}
let shared: Promise<Shared> | undefined;

/** Where the shared instance records the wire. Unlike the folder of a suite, it stays until the process ends. */
let wire: string | undefined;

async function start(): Promise<Shared> {
  const root = mkdtempSync(join(tmpdir(), 'switchyard-e2e-shared-'));
  const data = join(root, 'data');
  wire = join(root, 'wire');
  for (const folder of [data, wire]) mkdirSync(folder);
  read.clear();
  const instance = await startInstance(data, ['--no-sandbox'], { ...generousRates, WIRE_TAP_FOLDER: wire });
  instance.outlive();
  endWithThisProcess(instance, root);
  return { instance, secret: readFileSync(join(data, 'admin.secret'), 'utf8').trim() };
}

/** A shell that waits for the end of this process, which closes its standard input in any case. */
function endWithThisProcess({ pid, data }: Instance, root: string): void {
  const script = 'read _; kill -KILL "-$0"; kill -QUIT "$1"; sleep 1; rm -rf "$2"';
  const postgres = String(postmasterOf(data)?.pid ?? '');
  const child = spawn('/bin/sh', ['-c', `exec 2>/dev/null; ${script}`, String(pid), postgres, root], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
}

/** Bytes of each file that earlier suites have judged. */
const read = new Map<string, number>();

/** Returns what the shared instance has recorded since the last call, in complete lines. */
export function sharedWire(): readonly string[] {
  if (wire === undefined) return [];
  const folder = wire;
  return readdirSync(folder).flatMap((name) => {
    const bytes = readFileSync(join(folder, name));
    const from = read.get(name) ?? 0;
    const to = bytes.lastIndexOf('\n') + 1;
    read.set(name, to);
    return bytes.subarray(from, to).toString('utf8').split('\n');
  });
}

/**
 * Opens an organization of the shared instance with the agents of a sandbox market, and returns the instance as its
 * admin sees it. `data` is an empty folder, by which commands, `Market.of` and `ownerView` find the organization. Its
 * `stop` ends the market, and fails if the suite has left the instance unready or has changed another organization.
 * Name only agents that the suite needs: a seller costs a quarter of a second to onboard, and work in each query. A suite
 * without use for the days of its campaigns pauses them by `days`: each is a report of each buy, which the instance books.
 */
export async function openOrganization(
  data: string,
  agents: readonly string[],
  days: Days = 'second',
): Promise<Instance> {
  const { instance, secret } = await (shared ??= start());
  const made = await admin({ url: instance.url, token: secret }, 'POST', '/v1/organizations', {
    name: basename(data),
    domain: 'agency.example',
  });
  const [id, { token }] = [String(made['organization_id']), made['admin'] as { readonly token: string }];
  rememberOrganization(data, { id, token, instanceData: instance.data });
  writeFileSync(join(data, 'instance.json'), JSON.stringify({ pid: instance.pid, url: instance.url }));
  const market = agents.length === 0 ? undefined : await openMarket(data, agents, days);
  await market?.onboardAt({ url: instance.url, token });
  const [printed, complained] = [instance.stdout().length, instance.stderr().length];
  return {
    ...instance,
    data,
    token,
    stdout: () => instance.stdout().slice(printed),
    stderr: () => instance.stderr().slice(complained),
    closeOutput: refuse,
    kill: refuse,
    stop: async () => {
      await market?.stop();
      await judgeEnd(instance, id);
      return 0;
    },
  };
}

async function openMarket(data: string, agents: readonly string[], days: Days): Promise<SandboxMarket> {
  const folder = join(data, 'sandbox');
  mkdirSync(folder);
  const started = await sandboxMarket(folder, agents, { seed: 'practice', dayMs: 1000 });
  writeFileSync(join(folder, 'control-port'), new URL(started.market.url).port);
  await started.market.days(days);
  return started;
}

function refuse(): never {
  throw new Error('Other suites use this instance too: a suite that ends it starts its own.');
}

async function judgeEnd(instance: Instance, organizationId: string): Promise<void> {
  const ready = await fetch(`${instance.url}/readyz`).then(
    async (answer) => (answer.ok ? undefined : await answer.text()),
    (error: unknown) => String(error),
  );
  if (ready !== undefined) {
    // The next suite gets another instance, so that it does not fail of this one.
    shared = undefined;
    if (isAlive(instance.pid)) await instance.kill();
    throw new Error(`This suite has left the shared instance unready: ${ready}\n${instance.stderr()}`);
  }
  const client = new pg.Client(ownerUrlOf(instance.data));
  await client.connect();
  const { rows } = await client.query<{ action: string }>(
    `select e.action from audit_event e join principal p on p.id = e.actor_id
     where p.organization_id = $1 and e.organization_id <> $1`,
    [organizationId],
  );
  await client.end();
  if (rows.length > 0)
    throw new Error(`This suite acted in another organization: ${rows.map(({ action }) => action).join()}`);
}
