import { randomUUID } from 'node:crypto';
import { describe, it } from '@jest/globals';
import { activationBookContract, memoryActivationBook } from '@switchyard/testing';

describe('a book of activations, in memory', () => {
  for (const { guarantee, check } of activationBookContract)
    it(`promises that ${guarantee}`, () =>
      check({
        book: memoryActivationBook(),
        ours: { organizationId: randomUUID() },
        theirs: { organizationId: randomUUID() },
      }));
});
