import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../../../cli/bin/switchyard.mjs', import.meta.url));

/** `switchyard up` as a child process, in its own process group. */
interface SwitchyardProcess {
  /** Everything it has printed. */
  output(): string;
  /** Sends SIGTERM and waits; after the timeout kills the whole group. */
  end(): Promise<void>;
  /** Kills its whole group at once, as a power failure would; only PostgreSQL is in another group. */
  kill(): Promise<void>;
}

/** Returns when its endpoints are open. */
export async function launchSwitchyard(data: string, options: readonly string[]): Promise<SwitchyardProcess> {
  const printed: string[] = [];
  const child = spawn(process.execPath, [bin, 'up', '--data', data, '--no-campaign', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, NO_COLOR: '1', IS_BUILT: 'true' },
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => printed.push(text));
  const output = (): string => printed.join('');
  try {
    await printedLine(child, output, 'Server at ');
  } catch (error) {
    throw new Error(`Switchyard did not start: ${output()}`, { cause: error });
  }
  return { output, end: () => end(child), kill: () => kill(child) };
}

/** Resolves when the process has printed the text; rejects if it ends before that. */
function printedLine(child: ChildProcess, printed: () => string, wanted: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      if (printed().includes(wanted)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code ?? 'a signal'}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child) || child.pid === undefined) return;
  const { pid } = child;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const impatient = setTimeout(() => process.kill(-pid, 'SIGKILL'), 60_000);
  await ended;
  clearTimeout(impatient);
}

async function kill(child: ChildProcess): Promise<void> {
  if (hasEnded(child) || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
