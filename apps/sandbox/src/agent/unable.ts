import { compact, type Json } from '../json.js';
import { done, type Outcome } from './outcome.js';

/** A refusal of the test controller. It is an answer of that tool: the task itself has succeeded. */
export function unable(error: string, detail: string, state?: Json): Outcome {
  return done(compact({ success: false, error, error_detail: detail, current_state: state }));
}
