import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { credentialStoreContract, memoryCredentialStore } from '@switchyard/testing';

describe('the credential store in memory', () => {
  const subject = {
    store: memoryCredentialStore(),
    ours: { organizationId: randomUUID() },
    theirs: { organizationId: randomUUID() },
  };
  it.each(credentialStoreContract)('$guarantee', async ({ check }) => {
    await expect(check(subject)).resolves.toBeUndefined();
  });
});
