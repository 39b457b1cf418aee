import type { Store } from '@switchyard/store';
import type { Clock } from '@switchyard/values';
import { tokenOf } from './token.js';

/** The database, which modules of capabilities open their repositories on. */
export const STORE = tokenOf<Store>('store');

export const CLOCK = tokenOf<Clock>('clock');
