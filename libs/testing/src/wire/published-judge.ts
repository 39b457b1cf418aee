import type { Form } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { messageFaults, type Message } from './judge-message.js';
import { refusalFaults } from './judge-refusal.js';
import { publishedSchemas, schemasAreThere, type PublishedSchemas } from './published-schemas.js';
import { storeForJudging } from './stored-lines.js';

/** What a suite holds against the published schemas, with the place in the suite where it was seen. */
export type Judged =
  | { readonly kind: 'message'; readonly where: string; readonly message: Message }
  | {
      readonly kind: 'refusal';
      readonly where: string;
      readonly task: string;
      readonly form: Form;
      readonly answer: JsonObject;
    }
  /** Names of messages (`messageName`) that have to be among those held of the suite's exchanges. */
  | { readonly kind: 'cells'; readonly where: string; readonly wanted: readonly string[] };

/** The faults of one message or refusal. `undefined`: no schema is published of it. */
export function faultsOfJudged(schemas: PublishedSchemas, judged: Judged): readonly string[] | undefined {
  if (judged.kind === 'message') return messageFaults(schemas, judged.message);
  return judged.kind === 'refusal' ? refusalFaults(schemas, judged, judged.answer) : undefined;
}

/**
 * Holds a suite's messages against the published schemas: at once where they are. Elsewhere the messages are stored in
 * the folder that `SWITCHYARD_WIRE_FOLDER` names, and `stored-wire.spec.ts` holds them, so that the suite need not be run
 * again.
 */
export class PublishedJudge {
  #held = 0;
  readonly #stored: Judged[] = [];

  constructor(readonly suite: string) {}

  /** Nothing where it conforms, where no schema is published of it, and where it is held later. */
  faultsOf(judged: Judged): readonly string[] {
    if (!schemasAreThere) this.#stored.push(judged);
    const faults = schemasAreThere ? faultsOfJudged(publishedSchemas(), judged) : undefined;
    this.#held += faults === undefined ? 0 : 1;
    return faults ?? [];
  }

  /** Stores what was not held, and prints how many messages were. */
  close(): void {
    const isStored = storeForJudging(
      'messages',
      this.#stored.map((judged) => ({ ...judged, suite: this.suite })),
    );
    const rest = isStored ? `, ${String(this.#stored.length)} stored` : '';
    process.stdout.write(`${String(this.#held)} messages held against the published schemas${rest}\n`);
  }
}
