import { describe, expect, it } from '@jest/globals';
import type { OperationStore } from '@switchyard/buys';
import type { CustodyRecord, Ended } from '@switchyard/relay';
import { testClock } from '@switchyard/testing';
import { createCustodyWriter } from './custody-writer.js';

const scope = { organizationId: '7f4d7d0e-3c52-4f3c-9d0c-0d6a6f5d8f11' };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function ended(id: string): Ended {
  const record: CustodyRecord = {
    id,
    way: 'sealed',
    principalId: 'brand',
    principal: 'Brand',
    seller: 'acme',
    arrived: { at: 0, bodyHash: '', bytes: 0, steps: [] },
    outcome: 'answered',
  };
  return { record, at: 0, releases: false };
}

function opened(
  onUnexpected = (error: unknown): void => {
    throw error;
  },
) {
  const clock = testClock(0);
  const blocks: string[][] = [];
  const writer = createCustodyWriter({
    log: {
      refuse: () => Promise.resolve(),
      seal: async (_scope, _principalId, batch) => {
        for (const { apply } of batch) await apply?.({} as OperationStore);
        blocks.push(batch.map(({ record }) => record.id));
      },
    },
    clock,
    onUnexpected,
  });
  return { clock, blocks, writer };
}

describe('the writer of custody', () => {
  it('collects reads for a quarter of a second into one block', async () => {
    const { clock, blocks, writer } = opened();
    void writer.ended(scope, ended('one'), false);
    await turn();
    void writer.ended(scope, ended('two'), false);
    clock.advance(249);
    await turn();
    expect(blocks).toEqual([]);
    clock.advance(1);
    await turn();
    expect(blocks).toEqual([['one', 'two']]);
  });

  it('seals a change at once, together with everything that waits', async () => {
    const { blocks, writer } = opened();
    void writer.ended(scope, ended('question'), false);
    await turn();
    void writer.ended(scope, ended('change'), true);
    await turn();
    expect(blocks).toEqual([['question', 'change']]);
    void writer.ended(scope, ended('next change'), true);
    await turn();
    expect(blocks).toEqual([['question', 'change'], ['next change']]);
  });

  it('resolves when a change is applied; a change that cannot be applied delays neither its record nor other changes', async () => {
    const unexpected: string[] = [];
    const { blocks, writer } = opened((error) => void unexpected.push((error as Error).message));
    const done: string[] = [];
    const change = (id: string, apply: () => Promise<unknown>) =>
      writer.ended(scope, { ...ended(id), apply }, true).then(() => done.push(id));
    await Promise.all([
      change('good', () => Promise.resolve()),
      change('bad', () => Promise.reject(new Error('no such leg'))),
      change('other', () => Promise.resolve()),
    ]);
    expect(done.toSorted()).toEqual(['bad', 'good', 'other']);
    await writer.close();
    expect(blocks).toEqual([['good'], ['other'], ['bad']]);
    // One block of three records, and one of a single record.
    expect(unexpected).toEqual(['no such leg', 'no such leg']);
  });

  it('writes everything before it is closed', async () => {
    const { blocks, writer } = opened();
    void writer.ended(scope, ended('one'), false);
    await turn();
    await writer.close();
    expect(blocks).toEqual([['one']]);
  });
});
