import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CredentialStore } from '@switchyard/vault';
import {
  createOrganization,
  credentialStoreContract,
  startPostgres,
  type CredentialStoreSubject,
  type TestDatabase,
} from '@switchyard/testing';
import { openStore, type Store } from '../core/open-store.js';
import { credentialStore } from './credential-store.js';

let database: TestDatabase;
let store: Store;
let subject: CredentialStoreSubject;
let credentials: CredentialStore;

beforeAll(async () => {
  database = await startPostgres();
  store = openStore(database.appUrl);
  credentials = credentialStore(store);
  const [ours, theirs] = [await createOrganization(store), await createOrganization(store)];
  subject = { store: credentials, ours: { organizationId: ours.id }, theirs: { organizationId: theirs.id } };
});

afterAll(async () => {
  await store.close();
  await database.stop();
});

describe('the credential store on PostgreSQL', () => {
  for (const clause of credentialStoreContract)
    it(clause.guarantee, async () => {
      expect.assertions(1);
      await expect(clause.check(subject)).resolves.toBeUndefined();
    });

  it('keeps the audit rows of a lease when the work they were written for rolls back', async () => {
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
    const kept = await store.inTenant(subject.ours, (client) =>
      client.query('select 1 from credential_use where credential_id = $1', [use.credentialId]),
    );
    expect(kept.rowCount).toBe(2);
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
    const kept = await store.inTenant(subject.ours, (client) =>
      client.query('select 1 from credential_use where credential_id = $1', [use.credentialId]),
    );
    expect(kept.rowCount).toBe(0);
  });
});
