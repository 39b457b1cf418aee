import { randomUUID } from 'node:crypto';
import { describe, it } from '@jest/globals';
import { activationRepositoryContract, memoryActivationRepository } from '@switchyard/testing';

describe('a repository of activations, in memory', () => {
  for (const { guarantee, check } of activationRepositoryContract)
    it(`promises that ${guarantee}`, () =>
      check({
        book: memoryActivationRepository(),
        ours: { organizationId: randomUUID() },
        theirs: { organizationId: randomUUID() },
      }));
});
