import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  createScope,
  credentialStoreContract,
  openTestStore,
  type CredentialStoreSubject,
} from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { credentialStore } from './credential-store.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const credentials = credentialStore(store);
const subject: CredentialStoreSubject = {
  store: credentials,
  ours: await createScope(store),
  theirs: await createScope(store),
};

describe('the credential store on PostgreSQL', () => {
  for (const clause of credentialStoreContract)
    it(clause.guarantee, async () => {
      expect.assertions(1);
      await expect(clause.check(subject)).resolves.toBeUndefined();
    });

  it('keeps the audit rows of a lease when its transaction rolls back', async () => {
    const use = {
      credentialId: randomUUID(),
      credentialVersion: 1,
      purpose: 'call',
      actor: 'test',
      usedAt: 0,
    };
    const work = store.inTenant(subject.ours, async (client) => {
      await client.query(`update organization set name = 'undone'`);
      await credentials.recordUses(subject.ours, [use, { ...use, operationId: randomUUID() }]);
      throw new Error('the work failed');
    });
    await expect(work).rejects.toThrow('the work failed');
    const stored = await store.inTenant(subject.ours, (client) =>
      client.query('select 1 from credential_use where credential_id = $1', [use.credentialId]),
    );
    expect(stored.rowCount).toBe(2);
  });

  it('rejects when the audit rows cannot be written, and then writes none of them', async () => {
    const use = {
      credentialId: randomUUID(),
      credentialVersion: 1,
      purpose: 'call',
      actor: 'test',
      usedAt: 0,
    };
    const broken = { ...use, operationId: 'no uuid' };
    await expect(credentials.recordUses(subject.ours, [use, broken])).rejects.toThrow();
    await expect(credentials.recordUses({ organizationId: 'no uuid' }, [use])).rejects.toThrow();
    const stored = await store.inTenant(subject.ours, (client) =>
      client.query('select 1 from credential_use where credential_id = $1', [use.credentialId]),
    );
    expect(stored.rowCount).toBe(0);
  });
});
