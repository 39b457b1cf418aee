import type { Buffer } from 'node:buffer';
import type { RateRefusal } from '../caller/rate-limits.js';

/** A webhook exactly as it came over the wire. Nothing has been parsed, decoded or decided. */
export interface WebhookPost {
  /** The last segment of the path: selects the handler and is no proof of anything. */
  readonly registration: string;
  readonly method: string;
  /** Where it comes from, for counting. */
  readonly from?: string;
  /** Path and query as they stood on the request line. */
  readonly rawUrl: string;
  /** In the order of arrival, with repetitions: a verifier must see what a map would hide. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or empty. */
  readonly body: string;
}

/** Takes one webhook in. Resolves after commit: a 2xx means that the event survives a crash. */
export interface WebhookIntake {
  /**
   * Asked before anything of the message is read. An address that is not known costs its sender one of a budget, which
   * `accept` gives back when it turns out to be somebody's; the refusal where nothing is left. Absent: nobody is refused.
   */
  admit?(registration: string, from: string): RateRefusal | undefined;
  accept(post: WebhookPost): Promise<WebhookAnswer>;
}
