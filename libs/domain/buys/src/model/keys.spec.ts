import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { Secret, type JsonObject } from '@switchyard/values';
import { deriveKey, type KeyDeps, requestHash, scopedKey } from './keys.js';

const secret = (fill: number): Secret => new Secret(Buffer.alloc(32, fill));
const deps: KeyDeps = { principalId: 'p', task: 'create_media_buy', buyerKey: 'k', operationId: 'o' };

describe('the key for a seller', () => {
  it('is the same for the same operation each time', () => {
    expect(deriveKey(secret(1), deps)).toBe(deriveKey(secret(1), { ...deps }));
  });

  it('differs by connection, principal, task, buyer’s key and operation', () => {
    const keys = [
      deriveKey(secret(1), deps),
      deriveKey(secret(2), deps),
      ...(Object.keys(deps) as (keyof KeyDeps)[]).map((name) =>
        deriveKey(secret(1), { ...deps, [name]: 'other' }),
      ),
    ];
    expect(new Set(keys).size).toBe(6);
  });

  it('does not confuse adjacent parts', () => {
    const one = deriveKey(secret(1), { ...deps, principalId: 'ab', task: 'c' });
    expect(one).not.toBe(deriveKey(secret(1), { ...deps, principalId: 'a', task: 'bc' }));
    const odd = deriveKey(secret(1), { ...deps, buyerKey: 'x|1:y' });
    expect(odd).not.toBe(deriveKey(secret(1), { ...deps, buyerKey: 'x', operationId: 'y' }));
  });

  it('has only characters that every seller accepts, and contains nothing of the buyer’s own', () => {
    const key = deriveKey(secret(1), { ...deps, buyerKey: 'the-buyers-own-key' });
    expect(key).toMatch(/^[A-Za-z0-9_.:-]{43}$/);
    expect(key).not.toContain('buyer');
  });
});

describe('a key within its account', () => {
  const account = { brandDomain: 'b.example', brandId: '', operator: 'o.example' };

  it('differs by principal and by every part of the account, and shows none of them', () => {
    const keys = [
      scopedKey('p', account, 'k'),
      scopedKey('q', account, 'k'),
      scopedKey('p', undefined, 'k'),
      scopedKey('p', account, 'l'),
      scopedKey('p', { ...account, brandDomain: 'c.example' }, 'k'),
      scopedKey('p', { ...account, brandId: 'x' }, 'k'),
      scopedKey('p', { ...account, operator: 'p.example' }, 'k'),
      scopedKey('p', { brandDomain: '', brandId: 'b.example', operator: 'o.example' }, 'k'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys[0]).toMatch(/^[\w-]{43}:k$/);
  });
});

describe('the hash of a request', () => {
  const request: JsonObject = {
    idempotency_key: 'k1',
    context: { a: 1 },
    governance_context: 'g1',
    push_notification_config: {
      url: 'https://buyer.example/hook',
      operation_id: 'op',
      authentication: { schemes: ['Bearer'], credentials: 'c1' },
    },
    reporting_webhook: { url: 'https://buyer.example/r', authentication: { credentials: 'c1' } },
    packages: [{ budget: 1, context: { b: 1 } }],
    ext: { note: 'x' },
  };
  const changed = (change: (copy: Record<string, never>) => void): string => {
    const copy = JSON.parse(JSON.stringify(request)) as Record<string, never>;
    change(copy);
    return requestHash(copy);
  };
  const same = requestHash(request);

  it('is 64 hex digits, for any order of members', () => {
    expect(same).toMatch(/^[0-9a-f]{64}$/);
    expect(requestHash(Object.fromEntries(Object.entries(request).reverse()))).toBe(same);
  });

  const set = (path: string, value: unknown) => (copy: Record<string, never>) => {
    const names = path.split('.');
    const last = names.pop() ?? '';
    const holder = names.reduce<Record<string, unknown>>(
      (at, name) => at[name] as Record<string, unknown>,
      copy,
    );
    holder[last] = value;
  };

  it.each([
    ['idempotency_key', 'k2'],
    ['context', { a: 2 }],
    ['governance_context', 'g2'],
    ['push_notification_config.authentication.credentials', 'c2'],
  ])('excludes %s', (path, value) => {
    expect(changed(set(path, value))).toBe(same);
  });

  it.each([
    ['push_notification_config.url', 'https://buyer.example/other'],
    ['push_notification_config.operation_id', 'op2'],
    ['push_notification_config.token', 'another-token-000'],
    ['reporting_webhook.authentication.credentials', 'c2'],
    ['reporting_webhook.token', 'another-token-000'],
    ['push_notification_config.authentication.schemes', ['HMAC-SHA256']],
    ['ext.note', 'y'],
    ['packages.0.budget', 2],
    // Only the request's own context is left out, not one further in.
    ['packages.0.context', { b: 2 }],
    ['unknown_member', null],
    ['context_id', 'c'],
    ['account', { account_id: 'a' }],
  ])('includes %s', (path, value) => {
    expect(changed(set(path, value))).not.toBe(same);
  });

  it('distinguishes an absent member from a null one', () => {
    expect(changed(set('po_number', null))).not.toBe(same);
  });
});
