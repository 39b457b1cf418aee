import type { BooksEntry } from '../buys/books-entry.js';
import { compact, type JsonObject } from '../json.js';

/** One item of `errors[]`. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly suggestion?: string;
  readonly recovery?: 'transient' | 'correctable' | 'terminal';
}

/** The result of a task. `entry` must be in the books before anybody is notified. */
export type Outcome =
  | {
      readonly status: 'completed' | 'submitted' | 'input-required';
      readonly body: JsonObject;
      readonly entry?: BooksEntry;
    }
  | { readonly status: 'failed'; readonly errors: readonly Refusal[] };

export function done(body: JsonObject, entry?: BooksEntry): Outcome {
  return { status: 'completed', body, ...(entry ? { entry } : {}) };
}

export function refuse(code: string, message: string, field?: string, suggestion?: string): Outcome {
  return { status: 'failed', errors: [refusal(code, message, field, suggestion)] };
}

export function refusal(code: string, message: string, field?: string, suggestion?: string): Refusal {
  return {
    code,
    message,
    ...(field === undefined ? {} : { field }),
    ...(suggestion === undefined ? {} : { suggestion }),
    recovery: code === 'CREDENTIAL_IN_ARGS' ? 'terminal' : 'correctable',
  };
}

export function refusalBody({ code, message, field, suggestion, recovery }: Refusal): JsonObject {
  return compact({ code, message, field, suggestion, recovery });
}
