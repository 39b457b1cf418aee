interface Waiting<Query, Answer> {
  readonly query: Query;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface Group<Query, Answer> {
  waiting: Waiting<Query, Answer>[];
  running: number;
  isGathering: boolean;
  isResting: boolean;
  /** Whether a query came while another one waited or ran, since the last statement was sent. */
  isCrowded: boolean;
}

interface BatchOptions<Query> {
  /** Only queries of one group share a statement. Default: one group for all. */
  readonly groupOf?: (query: Query) => string;
  /** Limit of queries in one statement. */
  readonly most: number;
  /** Default: a batch is a power of two, so that its statements can be prepared by size. True: it has any size. */
  readonly anySize?: boolean;
  /** Queries of one turn of the event loop go together: each is sent at the end of its turn. */
  readonly gathers?: boolean;
  /**
   * In milliseconds, 0 by default. While queries come faster than they are answered, so long after a statement the next
   * one is sent only when it is full. Whoever waits for each answer before the next query is not slowed down.
   */
  readonly restMs?: number;
  /** Limit of concurrent statements of one group. */
  readonly lanes: number;
}

/**
 * Combines single queries into statements for many, without extra waiting: a query is sent at once and alone if nothing
 * is running; queries that arrive meanwhile are sent together as soon as a lane is free. A commit costs the disk the
 * same for one row as for thirty, so this decides the throughput of a busy receiver.
 *
 * `run` answers in the order of its queries and has committed when it resolves. If the database refuses a batch because
 * of its values, each query is run again alone, so a bad row affects no other. A failure of the database is reported to
 * all queries, and is not retried.
 */
export function batchQueries<Query, Answer>(
  run: (queries: readonly Query[]) => Promise<readonly Answer[]>,
  { groupOf = () => '', most, lanes, anySize = false, gathers = false, restMs = 0 }: BatchOptions<Query>,
): (query: Query) => Promise<Answer> {
  const groups = new Map<string, Group<Query, Answer>>();

  const next = (name: string, group: Group<Query, Answer>): void => {
    while (group.running < lanes && group.waiting.length >= (group.isResting ? most : 1)) {
      const all = Math.min(most, group.waiting.length);
      const size = anySize ? all : 2 ** Math.floor(Math.log2(all));
      const batch = group.waiting.splice(0, size);
      group.running += 1;
      rest(name, group);
      // oxlint-disable-next-line typescript/no-floating-promises -- it never rejects, and belongs to no tenant
      void answer(run, batch).then(() => {
        group.running -= 1;
        next(name, group);
      });
    }
    if (group.running === 0 && !group.isGathering && !group.isResting) groups.delete(name);
  };

  const rest = (name: string, group: Group<Query, Answer>): void => {
    const rests = restMs > 0 && group.isCrowded && !group.isResting;
    group.isCrowded = false;
    if (!rests) return;
    group.isResting = true;
    setTimeout(() => {
      group.isResting = false;
      next(name, group);
    }, restMs);
  };

  const gather = (name: string, group: Group<Query, Answer>): void => {
    if (group.isGathering) return;
    group.isGathering = true;
    setImmediate(() => {
      group.isGathering = false;
      next(name, group);
    });
  };

  return (query) =>
    new Promise<Answer>((resolve, reject) => {
      const name = groupOf(query);
      const group = groups.get(name) ?? {
        waiting: [],
        running: 0,
        isGathering: false,
        isResting: false,
        isCrowded: false,
      };
      groups.set(name, group);
      if (group.running > 0 || group.waiting.length > 0) group.isCrowded = true;
      group.waiting.push({ query, resolve, reject });
      if (gathers) gather(name, group);
      else next(name, group);
    });
}

/** Never rejects: every query of the batch is settled by itself. */
async function answer<Query, Answer>(
  run: (queries: readonly Query[]) => Promise<readonly Answer[]>,
  batch: readonly Waiting<Query, Answer>[],
): Promise<void> {
  try {
    const answers = await run(batch.map(({ query }) => query));
    batch.forEach(({ resolve, reject }, at) => {
      const received = answers[at];
      if (received === undefined) reject(new Error('A batch was answered in part.'));
      else resolve(received);
    });
  } catch (error) {
    if (batch.length > 1 && isAboutARow(error)) await Promise.all(batch.map((query) => answer(run, [query])));
    else for (const { reject } of batch) reject(error);
  }
}

/** SQLSTATE classes 21 to 23: a value that no column takes, or a constraint. The whole statement was rolled back. */
function isAboutARow(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^2[123][0-9A-Z]{3}$/.test(code);
}
