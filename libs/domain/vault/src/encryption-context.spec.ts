import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contextBytes, encryptionContextOf } from './encryption-context.js';
import type { CredentialIdentity } from './sealed-credential.js';

const identities = fc.record(
  {
    credentialId: fc.string(),
    version: fc.nat(),
    organizationId: fc.string(),
    connectionId: fc.string(),
    seller: fc.string(),
    clientId: fc.string(),
    destination: fc.string(),
    kind: fc.constantFrom('bearer' as const, 'basic' as const, 'idempotency' as const, 'signing' as const),
  },
  { requiredKeys: ['credentialId', 'version', 'organizationId', 'kind'] },
);

const bytesOf = (identity: CredentialIdentity): string =>
  contextBytes(encryptionContextOf(identity)).toString();

describe('the encryption context', () => {
  it('differs for any two identities that differ, with any texts', () => {
    fc.assert(
      fc.property(identities, identities, (a, b) => {
        const same = fc.stringify(sorted(a)) === fc.stringify(sorted(b));
        return (bytesOf(a) === bytesOf(b)) === same;
      }),
    );
  });

  it('contains only texts, as key services require', () => {
    const context = encryptionContextOf({
      credentialId: 'c',
      version: 7,
      organizationId: 'o',
      kind: 'basic',
    });
    expect(context).toEqual({ v: '2', organization: 'o', credential: 'c', version: '7', kind: 'basic' });
  });
});

function sorted(identity: CredentialIdentity): unknown {
  return Object.entries(identity).sort();
}
