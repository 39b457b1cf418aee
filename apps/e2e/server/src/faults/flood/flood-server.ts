import { spawn } from 'node:child_process';
import { signal } from '../../harness/processes.js';
import { childEnvironment, switchyardBin } from '../../harness/run-switchyard.js';

/** One run of the server: a process on a database that outlives it. */
export interface FloodServer {
  /** Resolves when the server reports that it is up; rejects if it ends before, unless it was killed. */
  readonly ready: Promise<void>;
  /** Sends SIGKILL and waits until the process has ended. */
  kill(): Promise<void>;
}

export function startServer(data: string, port: number): FloodServer {
  const args = ['up', '--data', data, '--port', String(port), '--no-sandbox', '--no-campaign'];
  const child = spawn(process.execPath, [switchyardBin, ...args], {
    env: childEnvironment(),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let killed = false;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = new Promise<void>((resolve, reject) => {
    const hear = (text: string): void => {
      printed += text;
      if (/Token +\S/.test(printed)) resolve();
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    void ended.then(() => {
      if (killed) resolve();
      else reject(new Error(`The server ended by itself: ${printed}`));
    });
  });
  return {
    ready,
    kill: () => {
      killed = true;
      signal(child.pid ?? -1, 'SIGKILL');
      return ended;
    },
  };
}
