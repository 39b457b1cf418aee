import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillFromTemplate } from './data-folder.js';
import { isAlive, signal } from './processes.js';
import { childEnvironment, switchyardBin } from './run-switchyard.js';
import { waitUntil } from './wait-until.js';

/** A running `switchyard up`, in its own process group. */
export interface Instance {
  readonly data: string;
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** All that it has printed. */
  stdout(): string;
  stderr(): string;
  /** Lets this process end while the instance runs. */
  outlive(): void;
  /** Closes the reading end of its output, as a closed terminal does. */
  closeOutput(): void;
  /** Its exit code, once it has ended; `null` if a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL to it and to its whole group. */
  kill(): Promise<void>;
}

export interface TokenAnswer {
  readonly url: string;
  readonly mcp_url: string;
  readonly a2a_url: string;
  readonly token: string;
}

/** The sandbox market's agents except `hanging`: with it every request to the market would take its whole deadline. */
const answering =
  'prompt,courier,slow,human,auction,seed,behind,flapping,malformed,signals-now,signals-later';

/** For suites about the hanging agent, or about the complete market. */
export const wholeMarket: readonly string[] = ['--market', `${answering},hanging`];

/** Starts the built product with the agents that answer. An empty data folder is prepared first. */
export async function startInstance(
  data: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  bin = switchyardBin,
): Promise<Instance> {
  if (environment['DATABASE_URL'] === undefined) await prepareFolder(data);
  const isChosen = args.includes('--market') || args.includes('--no-sandbox');
  return startFirst(data, isChosen ? args : [...args, '--market', answering], environment, bin);
}

/** Fills an empty data folder with what a first start without sellers leaves there. */
export function prepareFolder(data: string): Promise<void> {
  return fillFromTemplate(data, async (template) => {
    const instance = await startFirst(template, ['--no-sandbox']);
    await instance.stop();
  });
}

/** Data folders that were started once: an instance takes its last port again. */
const started = new Set<string>();

/** A first start is on a port that the system gives, unless one is named. */
function portOf(data: string, args: readonly string[]): readonly string[] {
  const isFirst = !started.has(data);
  started.add(data);
  return isFirst && !args.includes('--port') ? ['--port', '0'] : [];
}

/** Starts the built product on the data folder as it is, and waits until it reports that it is up. */
export async function startFirst(
  data: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  bin = switchyardBin,
): Promise<Instance> {
  const child = spawn(
    process.execPath,
    [bin, 'up', '--data', data, '--no-campaign', ...portOf(data, args), ...args],
    {
      env: childEnvironment(environment),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const { pid } = child;
  if (pid === undefined) throw new Error('The product did not start.');
  const received = await waitUntil('the product says that it stays up', () => {
    if (!isAlive(pid)) throw new Error(`The product ended: ${stdout}${stderr}`);
    return /REST +(\S+)\/v1[\s\S]+Token +/.exec(stdout) ?? undefined;
  }).catch((error: unknown) => {
    // The caller does not have it yet and cannot end it, and it would keep the test's process alive.
    signal(-pid, 'SIGKILL');
    throw error;
  });
  const [, url = ''] = received;
  const { token } = await tokenFor(url, data);
  return {
    data,
    url,
    token,
    pid,
    stdout: () => stdout,
    stderr: () => stderr,
    outlive: () => {
      child.unref();
      for (const output of [child.stdout, child.stderr]) (output as unknown as { unref(): void }).unref();
    },
    closeOutput: () => {
      child.stdout.destroy();
      child.stderr.destroy();
    },
    ended,
    stop: () => {
      signal(pid, 'SIGTERM');
      return ended;
    },
    kill: async () => {
      signal(-pid, 'SIGKILL');
      await ended;
    },
  };
}

/** Gets a token as `token` does, without a separate process: with the secret in the data folder. */
async function tokenFor(url: string, data: string): Promise<TokenAnswer> {
  const secret = readFileSync(join(data, 'admin.secret'), 'utf8').trim();
  const answer = await fetch(`${url}/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: '{}',
  });
  if (!answer.ok) throw new Error(`No token was made: ${answer.status}.`);
  return (await answer.json()) as TokenAnswer;
}
