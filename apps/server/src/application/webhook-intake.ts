import type { Buffer } from 'node:buffer';

/** A webhook exactly as it came over the wire. Nothing has been parsed, decoded or decided. */
export interface WebhookPost {
  /** The last segment of the path: selects the handler and is no proof of anything. */
  readonly registration: string;
  readonly method: string;
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
  accept(post: WebhookPost): Promise<WebhookAnswer>;
}
