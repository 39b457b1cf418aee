import type { PasswordFault } from '@switchyard/tenancy';
import type { AdminFailure } from '../platform/failure.js';

/** What a refused password is told. */
export const passwordFaults = {
  common: {
    code: 'INVALID_REQUEST',
    message:
      'This password is a common one, or is made of one: it would be among the first that somebody tries.',
    field: 'password',
    suggestion:
      'Take several words that have nothing to do with each other, or let a password manager make one.',
  },
  context: {
    code: 'INVALID_REQUEST',
    message: 'The password contains a word of your address, your name, your organization or this product.',
    field: 'password',
    suggestion: 'Take words that nobody connects with you.',
  },
} as const satisfies Readonly<Record<PasswordFault, AdminFailure>>;
