import { describe, expect, it } from '@jest/globals';
import { createChangesUnderWay } from './changes-under-way.js';

describe('changes in progress', () => {
  it('are awaited only by their principal at that seller', async () => {
    const changes = createChangesUnderWay();
    const own = { principalId: 'p', connectionId: 'c' };
    let note: (fails: boolean) => void = () => undefined;
    const noted = new Promise<void>((resolve, reject) => {
      note = (fails) => (fails ? reject(new Error('gone')) : resolve());
    });
    changes.add(own, noted);
    let isThrough = false;
    const waiting = changes.settled(own).then(() => (isThrough = true));
    await changes.settled({ ...own, principalId: 'other' });
    await changes.settled({ ...own, connectionId: 'other' });
    expect(isThrough).toBe(false);
    // A failure is reported elsewhere, and delays nothing here.
    note(true);
    await waiting;
    await changes.settled(own);
    expect(isThrough).toBe(true);
  });
});
