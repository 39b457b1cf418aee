import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transform } from '@swc/core';
import { until } from '../until.js';

/** An example that the public SDK ships, and the upstream that it wraps, if it wraps one. */
export interface Example {
  readonly name: string;
  readonly file: string;
  /** Name of the SDK's own mock of the upstream. */
  readonly upstream?: string;
  /** Set if the example chooses its port itself. */
  readonly port?: number;
}

interface RunningExample {
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

const token = 'sk_harness_do_not_use_in_prod';
const require = createRequire(import.meta.url);
const sdk = dirname(require.resolve('@adcp/sdk/package.json'));

/** Starts an example as its documentation describes, with fresh data. It is TypeScript, so it is transpiled first. */
export async function startExample(example: Example): Promise<RunningExample> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-beside-'));
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const child of children) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const port = example.port ?? (await freePort());
    const upstream = example.upstream === undefined ? undefined : await freePort();
    if (example.upstream !== undefined && upstream !== undefined) {
      const mock = [join(sdk, 'bin', 'adcp.js'), 'mock-server', example.upstream, '--port', String(upstream)];
      children.push(run(mock, folder));
      await listening(upstream);
    }
    const module = await transpiled(example.file, folder);
    children.push(
      run([module], folder, {
        PORT: String(port),
        PUBLIC_AGENT_URL: `http://127.0.0.1:${port}`,
        ADCP_AUTH_TOKEN: token,
        ADCP_SANDBOX: '1',
        NODE_ENV: 'test',
        ...(upstream === undefined ? {} : { UPSTREAM_URL: `http://127.0.0.1:${upstream}` }),
      }),
    );
    await listening(port);
    return { url: `http://127.0.0.1:${port}/mcp`, token, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Its imports of the SDK are resolved from the folder, as in a user's own project. */
async function transpiled(file: string, folder: string): Promise<string> {
  const source = await readFile(join(sdk, 'examples', file), 'utf8');
  const { code } = await transform(source, {
    filename: file,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
  });
  const path = join(folder, 'example.mjs');
  await writeFile(path, code);
  await mkdir(join(folder, 'node_modules', '@adcp'), { recursive: true });
  await symlink(sdk, join(folder, 'node_modules', '@adcp', 'sdk'));
  return path;
}

function run(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, ['--no-warnings', ...args], {
    cwd,
    stdio: 'ignore',
    env: { ...process.env, ...env },
  });
}

async function listening(port: number): Promise<void> {
  await until(
    async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
      await answer?.arrayBuffer();
      return answer !== undefined;
    },
    (isThere) => isThere,
  );
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
