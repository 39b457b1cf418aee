import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareFolder } from '@switchyard/e2e-server';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const bin = join(root, 'apps/cli/bin/switchyard.mjs');

/** The environment of a child process, without variables that would select another instance. */
function environment(): NodeJS.ProcessEnv {
  const foreign = /^(DATABASE_|REDIS_|SWITCHYARD_|AWS_|NODE_OPTIONS$|JEST_|NODE_ENV$)/;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(kept), NO_COLOR: '1', IS_BUILT: 'true' };
}

/** A new instance with the sandbox market. When ready, its first campaign has ended. */
export interface SandboxInstance {
  readonly url: string;
  /** Its data folder. */
  readonly data: string;
  /** The one-time link that signs in the first person. */
  link(): string;
  /** Reads a route as the operator. Used only to find ids; it changes nothing. */
  read<Answer>(path: string): Promise<Answer>;
  /** Runs a command of the instance, and answers with its JSON. Used only for what the guides do by command. */
  command(...args: readonly string[]): unknown;
  /** Calls a task as an agent of the operator does. */
  task<Answer>(name: string, request: object): Promise<Answer>;
  stop(): Promise<void>;
}

/** `more` are options of `switchyard up`, such as which sellers its market has. */
export async function startSandboxInstance(more: readonly string[] = []): Promise<SandboxInstance> {
  const data = mkdtempSync(join(tmpdir(), 'switchyard-browser-'));
  await prepareFolder(data);
  const child = spawn(process.execPath, [bin, 'up', '--no-history', '--data', data, ...more], {
    env: environment(),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once('close', resolve));
    if (child.exitCode === null && child.pid !== undefined) {
      process.kill(child.pid, 'SIGTERM');
      const pid = child.pid;
      const late = setTimeout(() => process.kill(-pid, 'SIGKILL'), 30_000);
      await ended;
      clearTimeout(late);
    }
    rmSync(data, { recursive: true, force: true });
  };
  const url = await ready(child).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { ...sandboxInstanceAt(url, data), stop };
}

/** Connects to a running instance by its data folder, and does not stop it. */
export function joinSandboxInstance(data: string): SandboxInstance {
  return { ...sandboxInstanceAt('', data), stop: () => Promise.resolve() };
}

function sandboxInstanceAt(started: string, data: string): Omit<SandboxInstance, 'stop'> {
  const run = (args: readonly string[]): string => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [bin, ...args, '--data', data, '--json'], {
      env: environment(),
      encoding: 'utf8',
      timeout: 240_000,
    });
    if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const { token } = JSON.parse(run(['token'])) as { readonly token: string };
  // A connection that has rested can be closed by the server at the moment of its next use.
  const authorized = { authorization: `Bearer ${token}`, connection: 'close' };
  const link = (): string =>
    (JSON.parse(run(['principals', 'link', 'operator'])) as { readonly link: string }).link;
  const url = started === '' ? new URL(link()).origin : started;
  return {
    url,
    data,
    link,
    command: (...args) => JSON.parse(run(args)) as unknown,
    task: async <Answer>(name: string, request: object): Promise<Answer> => {
      const body = JSON.stringify(request);
      const headers = { ...authorized, 'content-type': 'application/json' };
      const answer = await fetch(`${url}/v1/tasks/${name}`, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as Answer;
    },
    read: async <Answer>(path: string): Promise<Answer> => {
      const answer = await fetch(`${url}${path}`, { headers: authorized });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as Answer;
    },
  };
}

export interface NewSeller {
  readonly address: string;
  /** The token that it accepts now. */
  readonly token: string;
  /** Starts it again at the same address with another token: it refuses the one before. */
  replaceToken(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an agent of a seller that the instance does not know. */
export async function startNewSeller(): Promise<NewSeller> {
  const data = mkdtempSync(join(tmpdir(), 'switchyard-seller-'));
  let running = await startAgentIn(data);
  return {
    address: running.address,
    get token() {
      return running.token;
    },
    replaceToken: async () => {
      await running.stop();
      const file = join(data, 'identities.json');
      const kept = readFileSync(file, 'utf8');
      writeFileSync(file, kept.replace(running.token, randomBytes(32).toString('base64url')));
      running = await startAgentIn(data);
    },
    stop: async () => {
      await running.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function startAgentIn(data: string): Promise<Omit<NewSeller, 'replaceToken'>> {
  const script = join(root, 'apps/sandbox/bundle/main.js');
  const args = [script, '--port', '0', '--data', data, '--seed', 'newcomer', '--agents', 'prompt'];
  const child = spawn(process.execPath, args, { env: environment(), stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { agents } = JSON.parse(line.toString()) as {
    readonly agents: readonly { readonly agent_url: string; readonly token: string }[];
  };
  return {
    address: agents[0]?.agent_url ?? '',
    token: agents[0]?.token ?? '',
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** Returns the URL when the first start has finished all its steps. */
function ready(child: ReturnType<typeof spawn>): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`It is not ready after 4 minutes: ${output}`)), 240_000);
    const take = (text: Buffer): void => {
      output += text.toString();
      const [, url] = /REST +(\S+)\/v1[\s\S]+Token +/.exec(output) ?? [];
      if (url === undefined) return;
      clearTimeout(late);
      resolve(url);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', (text: Buffer) => (output += text.toString()));
    child.once('close', (code) => {
      clearTimeout(late);
      reject(new Error(`It ended with ${String(code)}: ${output}`));
    });
  });
}
