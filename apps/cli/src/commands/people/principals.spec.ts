import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { run } from '../../testkit/run-command.js';
import { specInstance, type SpecInstance } from '../../testkit/instance.js';

let instance: SpecInstance;
const at = (...args: string[]): string[] => ['principals', ...args, '--data', instance.dataFolder];
const jwk = { kid: 'b1', kty: 'OKP', crv: 'Ed25519', x: 'public', adcp_use: 'request-signing' };

beforeAll(async () => {
  instance = await specInstance();
});
beforeEach(() => void instance.requested.splice(0));
afterAll(() => instance.close());

describe('principals', () => {
  it('are created with the keys of a file, and --json prints only the id and the token', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'switchyard-jwks-')), 'jwks.json');
    writeFileSync(file, JSON.stringify({ keys: [jwk] }));
    const { code, stdout } = await run(at('add', 'acme brand', '--kind', 'brand', '--jwks', file, '--json'));
    expect([code, JSON.parse(stdout)]).toEqual([0, { principal_id: 'p1', token: 'sy_new' }]);
    expect(instance.requested).toEqual([
      ['add_principal', expect.objectContaining({ kind: 'brand', jwks: { keys: [jwk] } })],
    ]);
  });

  it('are created with the keys at an address, limits and marks', async () => {
    const args = [
      '--kind',
      'brand',
      '--jwks',
      'https://brand.example/jwks.json',
      '--brand-domain',
      'Brand.Example',
    ];
    const limits = [
      '--allow',
      'products:read,media_buys:read,media_buys:write',
      '--expires',
      '12h',
      '--legacy',
    ];
    expect((await run(at('add', 'b', ...args, ...limits, '--transitional'))).code).toBe(0);
    expect(instance.requested[0]).toEqual([
      'add_principal',
      {
        name: 'b',
        kind: 'brand',
        brand_domain: 'brand.example',
        permissions: { products: ['read'], media_buys: ['read', 'write'] },
        ttl_seconds: 12 * 3600,
        legacy: true,
        transitional: true,
        scheme: 'bearer',
        allows_rsa_pss: false,
        dialect: 'ads',
        jwks_uri: 'https://brand.example/jwks.json',
      },
    ]);
  });

  it('of kinds that do not sign need no keys, and a service key needs permissions', async () => {
    expect((await run(at('add', 'ada', '--kind', 'person'))).code).toBe(0);
    expect((await run(at('add', 'cron', '--kind', 'service'))).code).toBe(1);
    expect((await run(at('add', 'cron', '--kind', 'service', '--allow', 'ledger:read'))).code).toBe(0);
    expect((await run(at('add', 'x', '--kind', 'seller'))).code).toBe(2);
  });

  it.each([
    [['--role', 'trader'], '--scope'],
    [['--scope', 'organization'], '--role'],
    [['--role', 'trader', '--scope', 'own', '--role', 'viewer'], '--scope'],
  ])('are not created with %j, and the usage error names the missing option', async (given, missing) => {
    const { code, stderr } = await run(at('add', 'ada', '--kind', 'person', ...given));
    expect([code, stderr, instance.requested]).toEqual([2, expect.stringContaining(`'${missing} `), []]);
  });

  it('get a name and a password with --basic', async () => {
    const { stdout } = await run(at('add', 'old', '--kind', 'buyer', '--basic', '--json'));
    expect(JSON.parse(stdout)).toEqual({ principal_id: 'p1', username: 'p1', password: 'sy_pass' });
  });

  it('identified by an issuer or a certificate get no token from Switchyard', async () => {
    const vouched = ['--issuer', 'https://id.example', '--subject', 'agent-7'];
    const { stdout } = await run(at('add', 'j', '--kind', 'buyer', ...vouched, '--json'));
    expect(JSON.parse(stdout)).toEqual({ principal_id: 'p1', token: null });
    // In one request with the principal: neither is there without the other.
    expect(instance.requested).toEqual([
      [
        'add_principal',
        expect.objectContaining({
          name: 'j',
          scheme: 'none',
          identity: { kind: 'jwt', issuer: 'https://id.example', subject: 'agent-7' },
        }),
      ],
    ]);
    expect((await run(at('add', 'j', '--kind', 'buyer', '--issuer', 'https://id.example'))).code).toBe(1);
  });

  it('can be linked to external identities, and unlinked', async () => {
    const named = ['--certificate', 'dns:agent.example', '--json'];
    const { code, stdout } = await run(at('identity', 'add', 'agency', ...named));
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { identity_id: 'i1', kind: 'certificate', subject: 'dns:agent.example' },
    ]);
    const vouched = ['--issuer', 'https://id.example', '--subject', 'agent-7'];
    expect((await run(at('identity', 'add', 'agency', ...vouched))).stdout).toContain(
      'agent-7 stands for agency',
    );
    expect((await run(at('identity', 'remove', 'i1', '--json'))).stdout).toContain('"removed"');
    expect(instance.requested).toEqual([
      ['add_identity', 'agency', { kind: 'certificate', subject: 'dns:agent.example' }],
      ['add_identity', 'agency', { kind: 'jwt', issuer: 'https://id.example', subject: 'agent-7' }],
      ['remove_identity', 'i1'],
    ]);
    expect((await run(at('identity', 'add', 'agency'))).code).toBe(1);
    expect((await run(at('identity', 'add', 'agency', '--subject', 'agent-7'))).code).toBe(1);
    expect((await run(at('identity', 'add', 'agency', ...vouched, '--certificate', 'dns:x'))).code).toBe(1);
    expect((await run(at('identity', 'add', 'nobody', ...vouched))).code).toBe(1);
  });

  it('sign in by a policy that is shown, and changed by the options that are given', async () => {
    expect((await run(at('policy'))).stdout).toContain('demanded of approvers.');
    const set = await run(
      at('policy', '--second-factor', 'nobody', '--roles', 'trader,viewer', '--idle', '60'),
    );
    expect(set.stdout).toContain('asks less of somebody');
    expect(set.stdout).toContain('60 minutes without a request');
    expect(instance.requested.at(-1)).toEqual([
      'set_sign_in_policy',
      { second_factor: 'nobody', second_factor_roles: ['trader', 'viewer'], idle_minutes: 60 },
    ]);
  });

  it('sign in with a provider that a file describes, whose secret is not printed', async () => {
    expect((await run(at('provider', 'show'))).stdout).toContain('has no sign-in provider');
    const file = {
      ...{ issuer: 'https://id.example', client_id: 'c1', client_secret: 'very-secret', name: 'Staff' },
      ...{ domains: ['agency.example'], groups: [{ group: 'Desk', role: 'trader', scope: 'organization' }] },
    };
    const path = join(mkdtempSync(join(tmpdir(), 'switchyard-provider-')), 'provider.json');
    writeFileSync(path, JSON.stringify(file));
    const set = await run(at('provider', 'set', path));
    expect(set.stdout).toContain('Desk: trader in organization');
    expect(set.stdout).toContain('https://s.example/back');
    expect(set.stdout).not.toContain('very-secret');
    expect((await run(at('provider', 'remove'))).stdout).toContain('Nobody signs in');
    expect(instance.requested.at(-2)).toEqual(['set_sign_in_provider', expect.objectContaining(file)]);
  });

  it('are provisioned once that is allowed, with a token that is printed once', async () => {
    const scim = (...args: string[]): string[] => ['scim', ...args, '--data', instance.dataFolder];
    expect((await run(scim('show'))).stdout).toContain('switchyard scim allow');
    expect((await run(scim('allow'))).stdout).toContain('https://s.example/scim/v2');
    expect((await run(scim('token', '--days', '30'))).stdout).toContain('sy_scim');
    expect(instance.requested.at(-1)).toEqual(['add_scim_token', { ttl_seconds: 2_592_000 }]);
    expect((await run(scim('end'))).code).toBe(0);
  });

  it('are erased after a wait, and the command says how to keep them', async () => {
    expect((await run(at('erase', 'ann@agency.example'))).stdout).toContain('switchyard jobs cancel j1');
    expect(instance.requested).toEqual([['erase_person', 'ann@agency.example']]);
  });

  it('have an organization that is closed before its deletion, and the command says how to keep it', async () => {
    const organizations = (...args: string[]) => ['organizations', ...args, '--data', instance.dataFolder];
    const closed = await run(organizations('delete'));
    expect(closed.stdout).toContain('switchyard organizations keep o1');
    expect((await run(organizations('keep', 'o1'))).stdout).toContain('o1 is open');
  });

  it('may sign with RSA if their keys allow it', async () => {
    const keys = ['--jwks', 'https://b.example/jwks.json', '--rsa'];
    expect((await run(at('add', 'r', '--kind', 'buyer', ...keys))).code).toBe(0);
    expect(instance.requested[0]).toMatchObject(['add_principal', { allows_rsa_pss: true }]);
    expect((await run(at('add', 'r', '--kind', 'buyer', '--rsa'))).code).toBe(1);
  });

  it('rotate with an overlap, and print until when the old token is valid', async () => {
    const { stdout } = await run(at('rotate', 'agency', '--overlap', '2h', '--json'));
    expect(JSON.parse(stdout)).toEqual({
      principal_id: 'p1',
      token: 'sy_new',
      previous_until: '2026-11-21T13:00:00.000Z',
    });
    expect(instance.requested).toEqual([['rotate_token', 'agency', { overlap_seconds: 7200 }]]);
  });

  it('are revoked entirely, or one token at a time', async () => {
    expect((await run(at('revoke', 'agency'))).code).toBe(0);
    expect((await run(at('revoke', '--token-id', 't1'))).code).toBe(0);
    expect(instance.requested).toEqual([
      ['revoke_principal', 'agency'],
      ['revoke_token', 't1'],
    ]);
    expect((await run(at('revoke'))).code).toBe(1);
    expect((await run(at('revoke', 'nobody'))).code).toBe(1);
  });

  it('are switched on again, and the command says that a new token is needed', async () => {
    expect((await run(at('restore', 'agency'))).stdout).toContain('switchyard principals token agency');
    expect(instance.requested).toEqual([['restore_principal', 'agency']]);
    expect((await run(at('restore', 'nobody'))).code).toBe(1);
  });

  it('are listed without any secret', async () => {
    const { stdout } = await run(at('list', '--json'));
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ name: 'agency', principal_id: 'p1' })]);
    expect(stdout).not.toContain('sy_');
    expect((await run(at('list'))).stdout).toContain('agency');
  });

  it.each([
    ['--allow', 'products'],
    ['--allow', 'products:read;x'],
    ['--expires', 'soon'],
    ['--expires', '2001-01-01'],
  ])('are refused with %s %s before a request is sent', async (option, value) => {
    const { code, stderr } = await run(at('add', 'x', '--kind', 'buyer', option, value));
    expect(code).toBe(1);
    expect(stderr).not.toBe('');
    expect(instance.requested).toEqual([]);
  });
});
