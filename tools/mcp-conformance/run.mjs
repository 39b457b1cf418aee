import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judge } from './judge.mjs';

/*
 * Judges the built server by the conformance suite of the Model Context Protocol, in the revisions that it knows. The suite
 * and the Node that it needs are installed into a folder of their own outside this workspace: the suite does not start on
 * the oldest Node that we support, and as a dependency that Node would run every script here.
 */

const packages = ['@modelcontextprotocol/conformance@0.2.0-alpha.12', 'node@24.21.0'];
const revisions = ['2025-11-25', '2026-07-28'];
const folder = process.env['MCP_CONFORMANCE_FOLDER'] ?? join(tmpdir(), 'switchyard-mcp-conformance');

const runner = join(folder, 'node_modules/.bin/node');
if (!existsSync(runner)) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name":"mcp-conformance","private":true}\n');
  try {
    execFileSync('npm', ['install', '--save-exact', '--no-audit', '--no-fund', ...packages], {
      cwd: folder,
      stdio: 'inherit',
    });
  } catch {
    // What is not here is said by count, as of published schemas: without a registry there is no suite.
    console.log('not run: 2 revisions of the conformance suite of MCP are not here');
    process.exit(0);
  }
}

const port = await freePort();
const data = mkdtempSync(join(tmpdir(), 'switchyard-conformance-'));
const bin = join(import.meta.dirname, '../../apps/cli/bin/switchyard.mjs');
const up = spawn(
  process.execPath,
  [bin, 'up', '--data', data, '--no-campaign', '--no-sandbox', '--port', String(port)],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
  await new Promise((resolve, reject) => {
    let said = '';
    up.stdout.on('data', (text) => {
      said += String(text);
      if (/Token +/.test(said)) resolve(undefined);
    });
    up.once('close', () => reject(new Error(`The server ended: ${said}`)));
  });
  const faults = revisions.flatMap((revision) =>
    judge(revision, suite(revision, `http://127.0.0.1:${port}/mcp`)),
  );
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  const ended = new Promise((resolve) => up.once('close', resolve));
  up.kill('SIGTERM');
  await ended;
  rmSync(data, { recursive: true, force: true });
}

/** What the suite prints. It ends with 1 if any scenario fails, and some always do: they want tools of a sample server. */
function suite(revision, url) {
  const script = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const results = join(folder, `results-${revision}`);
  try {
    return execFileSync(runner, [script, 'server', '--url', url, '--requirements', revision, '-o', results], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    if (typeof error?.stdout === 'string' && error.stdout !== '') return error.stdout;
    throw error;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address();
      server.close(() => resolve(free));
    });
  });
}
