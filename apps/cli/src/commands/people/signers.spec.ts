import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { run } from '../../testkit/run-command.js';
import { specInstance, type SpecInstance } from '../../testkit/instance.js';

let instance: SpecInstance;
const at = (...args: string[]): string[] => ['signers', ...args, '--data', instance.dataFolder];
const jwk = { kid: 'k9', kty: 'OKP', crv: 'Ed25519', x: 'public', ads_use: 'request-signing' };
const agent = ['--agent-url', 'https://agency.example/mcp'];

beforeAll(async () => {
  instance = await specInstance();
});
beforeEach(() => void instance.requested.splice(0));
afterAll(() => instance.close());

describe('signers', () => {
  it('are listed with their keys', async () => {
    const { stdout } = await run(at('list', '--json'));
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ signer_id: 's1', kids: ['k9'] })]);
    expect((await run(at('list'))).stdout).toContain('https://agency.example/mcp');
  });

  it('are added with the keys of a file, where a single key becomes a set of one, or with a key address', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'switchyard-signer-')), 'key.json');
    writeFileSync(file, JSON.stringify(jwk));
    const { code, stdout } = await run(at('add', 'agency', '--jwks', file, ...agent, '--rsa', '--json'));
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { signer_id: 's1', allows_rsa_pss: true }]);
    const address = ['--jwks', 'https://agency.example/jwks.json', '--dialect', 'adcp'];
    expect((await run(at('add', 'agency', ...address, ...agent))).code).toBe(0);
    const signer = { agent_url: 'https://agency.example/mcp' };
    expect(instance.requested).toEqual([
      ['add_signer', 'agency', { ...signer, dialect: 'ads', allows_rsa_pss: true, jwks: { keys: [jwk] } }],
      [
        'add_signer',
        'agency',
        { ...signer, dialect: 'adcp', allows_rsa_pss: false, jwks_uri: 'https://agency.example/jwks.json' },
      ],
    ]);
  });

  it('are added without keys if their agent publishes them, over either protocol', async () => {
    expect((await run(at('add', 'agency', ...agent))).code).toBe(0);
    expect((await run(at('add', 'agency', ...agent, '--protocol', 'a2a'))).code).toBe(0);
    const row = { agent_url: 'https://agency.example/mcp', dialect: 'ads', allows_rsa_pss: false };
    expect(instance.requested).toEqual([
      ['add_signer', 'agency', row],
      ['add_signer', 'agency', { ...row, protocol: 'a2a' }],
    ]);
  });

  it('accept no protocol beside keys, and only a supported protocol', async () => {
    const keys = ['--jwks', 'https://agency.example/jwks.json'];
    const both = await run(at('add', 'agency', ...agent, ...keys, '--protocol', 'mcp'));
    expect([both.code, both.stderr]).toEqual([1, expect.stringContaining('protocol')]);
    expect((await run(at('add', 'agency', ...agent, '--protocol', 'soap'))).code).toBe(2);
    expect(instance.requested).toEqual([]);
  });

  it('need an agent and an existing principal', async () => {
    expect((await run(at('add', 'agency', '--jwks', 'https://a.example/jwks.json'))).code).toBe(2);
    expect((await run(at('add', 'nobody', '--jwks', 'https://a.example/j', ...agent))).code).toBe(1);
  });

  it('are removed by their id', async () => {
    expect((await run(at('remove', 's1', '--json'))).stdout).toContain('"removed"');
    expect((await run(at('remove', 's2'))).code).toBe(1);
    expect(instance.requested).toEqual([
      ['remove_signer', 's1'],
      ['remove_signer', 's2'],
    ]);
  });
});
