import type { JsonObject } from '@switchyard/values';
import { messageFaults, type Message } from './judge-message.js';
import { refusalFaults } from './judge-refusal.js';
import {
  publishedSchemas,
  schemasAreThere,
  type PublishedSchemas,
  type Spoken,
} from './published-schemas.js';
import { storeForJudging } from './stored-lines.js';

/** What a suite checks against the published schemas, with the place in the suite. */
export type Judged =
  | { readonly kind: 'message'; readonly where: string; readonly message: Message }
  | {
      readonly kind: 'refusal';
      readonly where: string;
      readonly task: string;
      readonly form: Spoken;
      readonly answer: JsonObject;
    }
  /** Names of messages (`messageName`) that must be among the checked ones of the suite. */
  | { readonly kind: 'cells'; readonly where: string; readonly wanted: readonly string[] };

/** The faults of one message or refusal. `undefined`: no schema is published for it. */
export function faultsOfJudged(schemas: PublishedSchemas, judged: Judged): readonly string[] | undefined {
  if (judged.kind === 'message') return messageFaults(schemas, judged.message);
  return judged.kind === 'refusal' ? refusalFaults(schemas, judged, judged.answer) : undefined;
}

/**
 * Checks a suite's messages against the published schemas, at once if they are present. Otherwise the messages are
 * stored in the folder `SWITCHYARD_WIRE_FOLDER`, and `stored-wire.spec.ts` checks them, so that the suite need not run
 * again.
 */
export class PublishedJudge {
  #held = 0;
  readonly #stored: Judged[] = [];

  constructor(readonly suite: string) {}

  /** Empty if it conforms, if no schema is published for it, or if it is checked later. */
  faultsOf(judged: Judged): readonly string[] {
    if (!schemasAreThere) this.#stored.push(judged);
    const faults = schemasAreThere ? faultsOfJudged(publishedSchemas(), judged) : undefined;
    this.#held += faults === undefined ? 0 : 1;
    return faults ?? [];
  }

  /** Stores unchecked messages, and prints how many were checked. */
  close(): void {
    const isStored = storeForJudging(
      'messages',
      this.#stored.map((judged) => ({ ...judged, suite: this.suite })),
    );
    const rest = isStored ? `, ${String(this.#stored.length)} stored` : '';
    process.stdout.write(`${String(this.#held)} messages held against the published schemas${rest}\n`);
  }
}
