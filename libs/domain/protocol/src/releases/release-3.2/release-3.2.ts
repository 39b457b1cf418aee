import type { Release } from '../release.js';
import { answers, neverAnswered } from './answers.js';
import { errors } from './errors.js';
import { requests } from './requests.js';

/** Release 3.2, as its fifth beta has it. */
export const release32: Release = {
  name: '3.2-beta.5',
  spelled: ['3.2.0-beta.5'],
  requests,
  answers,
  neverAnswered,
  errors,
};
