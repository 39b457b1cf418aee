import type { Connection } from '@switchyard/sellers';
import type { Clock, Instant } from '@switchyard/values';

/** How long what a seller listed is taken for what it lists, in milliseconds. */
export const listedForMs = 300_000;
/** How long a seller that did not answer is not asked again, in milliseconds: it may be back soon. */
export const silentForMs = 60_000;

interface Shelved {
  readonly agentUrl: string;
  /** Absent where the seller did not say. */
  readonly formats?: ReadonlySet<string>;
  readonly until: Instant;
}

/**
 * What sellers list as their formats, for some minutes and by connection, so that one that hangs costs one sync its
 * patience and not every one. A connection is of one organization: nothing here is seen by two.
 */
export class FormatShelf {
  readonly #shelved = new Map<string, Shelved>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Undefined: nothing is known, and the seller has to be asked. A seller that kept silent lists nothing. */
  at({ id, agentUrl }: Pick<Connection, 'id' | 'agentUrl'>): ReadonlySet<string> | undefined {
    const shelved = this.#shelved.get(id);
    if (shelved === undefined) return undefined;
    if (shelved.agentUrl === agentUrl && this.clock.now() < shelved.until)
      return shelved.formats ?? new Set();
    this.#shelved.delete(id);
    return undefined;
  }

  /** Has the seller asked anew, because its list is known to have changed. */
  forget({ id }: Pick<Connection, 'id'>): void {
    this.#shelved.delete(id);
  }

  keep(
    { id, agentUrl }: Pick<Connection, 'id' | 'agentUrl'>,
    formats: ReadonlySet<string> | undefined,
  ): void {
    const until = this.clock.now() + (formats === undefined ? silentForMs : listedForMs);
    this.#shelved.set(id, { agentUrl, until, ...(formats === undefined ? {} : { formats }) });
  }
}
