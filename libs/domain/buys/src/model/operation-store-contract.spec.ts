import { randomUUID } from 'node:crypto';
import { describe, it } from '@jest/globals';
import { memoryOperationStore, operationStoreContract } from '@switchyard/testing';

describe('a store of operations, in memory', () => {
  for (const { guarantee, check } of operationStoreContract)
    it(`promises that ${guarantee}`, () =>
      check({
        store: memoryOperationStore(),
        ours: { organizationId: randomUUID() },
        theirs: { organizationId: randomUUID() },
      }));
});
