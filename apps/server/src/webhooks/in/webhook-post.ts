import type { Buffer } from 'node:buffer';
import type { RateRefusal } from '../../platform/caller/rate-limits.js';

/** A webhook as received. Nothing was parsed, decoded or decided. */
export interface WebhookPost {
  /** The last segment of the path: selects the handler and proves nothing. */
  readonly registration: string;
  readonly method: string;
  /** The address that it is counted under. */
  readonly from?: string;
  /** Path and query of the request line. */
  readonly rawUrl: string;
  /** In order of arrival, with repetitions: a verifier must see what a map would hide. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or empty. */
  readonly body: string;
}

/** Receives one webhook. Resolves after commit: a 2xx means that the event survives a crash. */
export interface WebhookIntake {
  /**
   * Runs before the message is read. An unknown address takes one request from its sender's budget, which `accept`
   * gives back if the address is known after all; answers the refusal if the budget is empty. If absent, nobody is
   * refused.
   */
  admit?(registration: string, from: string): RateRefusal | undefined;
  accept(post: WebhookPost): Promise<WebhookAnswer>;
}
