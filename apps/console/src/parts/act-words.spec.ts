import { describe, expect, it } from '@jest/globals';
import { actText } from './act-words.js';

describe('an act of the audit in words', () => {
  it.each([
    ['grant_role', 'granted a role'],
    ['invite_person', 'invited a person'],
    ['renew_token', 'renewed a token'],
    ['add_alarm', 'added an alarm'],
    ['withdraw_invitation', 'withdrew an invitation'],
    ['apply_rates', 'applied rates'],
    ['change_sign_in_policy', 'changed a sign in policy'],
    ['reconcile', 'reconciled'],
  ])('%s: %s', (action, words) => {
    expect(actText(action)).toBe(words);
  });
});
