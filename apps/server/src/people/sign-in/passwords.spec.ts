import { describe, expect, it } from '@jest/globals';
import { testClock } from '@switchyard/testing';
import type { PasswordRepository } from '@switchyard/tenancy';
import { createPasswords } from './passwords.js';

/** Nobody has a password; what is counted is not looked at. */
const nobody: PasswordRepository = {
  holders: () => Promise.resolve([]),
  claimAttempt: () => Promise.resolve(true),
  forgetAttempts: () => Promise.resolve(),
  set: () => Promise.resolve(),
  of: () => Promise.resolve(undefined),
};

describe('the queue of password checks', () => {
  it('refuses as busy, and not as wrong, what it cannot take, and goes on with the others', async () => {
    const passwords = createPasswords(nobody, testClock());
    const source = { address: '192.0.2.1' };
    const all = Array.from({ length: 80 }, () =>
      passwords.check('a@agency.example', 'a guess of it', source),
    );
    const found = (await Promise.all(all)).map((answer) => (answer.ok ? 'ok' : answer.error));
    expect([...new Set(found)].toSorted()).toEqual(['busy', 'wrong']);
    expect(found.filter((answer) => answer === 'wrong')).toHaveLength(52);
    const after = await passwords.check('a@agency.example', 'a guess of it', source);
    expect(after).toMatchObject({ error: 'wrong' });
  });

  it('uses up no link for a new password that it cannot take, and stores nothing for a link that is used up', async () => {
    const stored: string[] = [];
    const passwords = createPasswords(
      {
        ...nobody,
        of: () => Promise.resolve({ email: 'a@agency.example', hash: 'none' }),
        set: (_, { hash }) => Promise.resolve(void stored.push(hash)),
      },
      testClock(),
    );
    let taken = 0;
    const take = (): Promise<boolean> => {
      taken += 1;
      return Promise.resolve(taken === 1);
    };
    const scope = { organizationId: 'o' };
    const others = Array.from({ length: 60 }, () => passwords.hash('b@agency.example', 'a guess of it'));
    await Promise.resolve();
    const refused = await passwords.replace(scope, 'p', 'two otters in the reeds', take);
    expect([refused, taken]).toEqual([{ ok: false, error: 'busy' }, 0]);
    await Promise.all(others);
    expect(await passwords.replace(scope, 'p', 'two otters in the reeds', take)).toMatchObject({ ok: true });
    expect(stored).toHaveLength(1);
    const again = await passwords.replace(scope, 'p', 'two otters in the reeds', take);
    expect([again, stored.length]).toEqual([{ ok: false, error: 'wrong' }, 1]);
  });
});
