import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runNode } from './platform/run-node.js';
import { startSwitchyard, type RunningSwitchyard } from './platform/start-switchyard.js';

const require = createRequire(import.meta.url);
const program = join(
  dirname(require.resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

/** Scenarios of the suite that apply to every server. */
const passing = [
  'dns-rebinding-protection',
  'ping',
  'server-initialize',
  'server-sse-multiple-streams',
  'server-sse-polling',
  'tools-list',
];

/** Scenarios that need fixtures of the suite's own server, or capabilities that we do not declare. */
const notOffered: Readonly<Record<string, RegExp>> = {
  'tools of the suite itself, such as test_simple_text': /^(tools-call-|json-schema-2020-12$|elicitation-)/,
  'the capability logging': /^logging-/,
  'the capability completions': /^completion-/,
  'the capability resources': /^resources-/,
  'the capability prompts': /^prompts-/,
};

let switchyard: RunningSwitchyard;
const results = mkdtempSync(join(tmpdir(), 'switchyard-conformance-'));
beforeAll(async () => {
  switchyard = await startSwitchyard();
});
afterAll(async () => {
  await switchyard.remove();
  rmSync(results, { recursive: true });
});

describe('the MCP conformance suite at Switchyard’s endpoint', () => {
  it('finds only features missing that Switchyard does not declare', async () => {
    const url = switchyard.access.mcp_url;
    const { stdout } = await runNode([program, 'server', '--url', url, '--suite', 'all', '-o', results]);
    const lines = [...stdout.matchAll(/^(✓|✗) (\S+): \d+ passed, (\d+) failed$/gmu)];
    const passed = lines.filter(([, mark]) => mark === '✓').map(([, , name]) => name);
    const failed = lines.filter(([, mark]) => mark === '✗').map(([, , name]) => name);
    expect(passed.toSorted()).toEqual(passing);
    const known = (name: string | undefined) =>
      Object.values(notOffered).some((form) => form.test(name ?? ''));
    expect(failed.filter((name) => !known(name))).toEqual([]);
    // Every reason must match a scenario: a suite with fewer scenarios would pass as well.
    const unused = Object.entries(notOffered).filter(
      ([, form]) => !failed.some((name) => form.test(name ?? '')),
    );
    expect(unused).toEqual([]);
  });

  it('learns in the handshake that only tools are offered', async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 's', version: '1' },
    };
    const answer = await fetch(switchyard.access.mcp_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    });
    const { result } = (await answer.json()) as { readonly result: { readonly capabilities: object } };
    expect(Object.keys(result.capabilities)).toEqual(['tools']);
  });
});
