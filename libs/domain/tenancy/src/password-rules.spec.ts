import { describe, expect, it } from '@jest/globals';
import { passwordFault } from './password-rules.js';

const context = ['Nova Media', 'ann', 'ann.miller@agency.example', 'Switchyard'];

describe('a password', () => {
  it.each([
    'password1234',
    'Qwerty123456',
    '!!iloveyou2026',
    'passwordpassword',
    'abcabcabcabc',
    'aaaaaaaaaaaaa',
  ])('that is a common one, or is made of one, is refused: %s', (password) =>
    expect(passwordFault(password, context)).toBe('common'),
  );
  it.each(['123456789012', 'abcdefghijklm', '987654321098'])(
    'that counts up or down is refused: %s',
    (password) => expect(passwordFault(password, context)).toBe('common'),
  );
  it.each(['switchyard-is-mine', 'my Agency of words', 'x9!MILLER-77qq', 'novanovella-77'])(
    'with a word of its context is refused: %s',
    (password) => expect(passwordFault(password, context)).toBe('context'),
  );
  it.each(['correct horse battery', 'q7#Lw0zP!t2v', 'annual rainfall in May', 'ein langer Satz über Züge'])(
    'that nobody would try is accepted: %s',
    (password) => expect(passwordFault(password, context)).toBeUndefined(),
  );
});
