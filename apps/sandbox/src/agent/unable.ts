import { compact, type Json } from '../json.js';
import { done, type Outcome } from './outcome.js';

/** What a rehearsal cannot do. A refusal is an answer there: the task itself has done what it is for. */
export function unable(error: string, detail: string, state?: Json): Outcome {
  return done(compact({ success: false, error, error_detail: detail, current_state: state }));
}
