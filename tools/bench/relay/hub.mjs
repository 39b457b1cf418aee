/** The npm gateway `mcp-hub`, installed into a temporary folder for one run: it is not a dependency of ours. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const version = '4.2.1';
const patienceMs = 60_000;

/** The addresses of its REST API for tools and of its MCP endpoint, or, as text, why it was not measured. */
export async function startHub(sellers, closers) {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-hub-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  try {
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
    await promisify(execFile)('npm', ['install', ...quiet, `mcp-hub@${version}`], { timeout: 120_000 });
  } catch {
    return { why: `mcp-hub@${version} could not be installed from the registry` };
  }
  const config = join(folder, 'hub.json');
  const headers = { Authorization: 'Bearer bench-token' };
  const mcpServers = Object.fromEntries([...sellers].map(([slug, { url }]) => [slug, { url, headers }]));
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const port = await freePort();
  const bin = join(folder, 'node_modules/mcp-hub/dist/cli.js');
  const hub = spawn(process.execPath, [bin, '--port', String(port), '--config', config], {
    stdio: 'ignore',
    env: { ...process.env, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
  });
  const gone = once(hub, 'exit');
  closers.push(async () => {
    hub.kill('SIGTERM');
    await gone;
  });
  const base = `http://127.0.0.1:${port}/api`;
  const until = Date.now() + patienceMs;
  for (;;) {
    const health = await fetch(`${base}/health`)
      .then((answer) => answer.json())
      .catch(() => undefined);
    const states = (health?.servers ?? []).map(({ status }) => status);
    if (states.length === sellers.size && states.every((state) => state === 'connected'))
      return { post: `${base}/servers/tools`, mcp: `http://127.0.0.1:${port}/mcp`, pid: hub.pid };
    if (hub.exitCode !== null || Date.now() > until) {
      return {
        why: `mcp-hub@${version} did not connect to the sellers (${states.join(', ') || 'no answer'})`,
      };
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
