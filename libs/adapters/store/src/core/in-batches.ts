interface Waiting<Ask, Answer> {
  readonly ask: Ask;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface Group<Ask, Answer> {
  waiting: Waiting<Ask, Answer>[];
  running: number;
}

export interface BatchOptions<Ask> {
  /** What may share a statement: asks of one group alone. Absent: all of them. */
  readonly groupOf?: (query: Ask) => string;
  /** Asks in one statement at most. A batch is a power of two, so that its statements can be prepared by size. */
  readonly most: number;
  /** Statements of one group under way at once. */
  readonly lanes: number;
}

/**
 * Turns single asks into statements over many, and adds no waiting of its own: what comes while nothing is under way
 * goes out at once and alone, and what comes meanwhile goes out together as soon as a lane is free. A commit costs the
 * disk the same for one row as for thirty, so this is what a busy receiver lives on.
 *
 * `run` answers in the order of its asks and has committed when it resolves. Where the database refuses a batch over
 * what stands in it, each ask is run again alone: one bad row costs nobody else. A failure of the database itself is
 * everybody's, and is not tried again.
 */
export function inBatches<Ask, Answer>(
  run: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
  { groupOf = () => '', most, lanes }: BatchOptions<Ask>,
): (query: Ask) => Promise<Answer> {
  const groups = new Map<string, Group<Ask, Answer>>();

  const next = (name: string, group: Group<Ask, Answer>): void => {
    while (group.running < lanes && group.waiting.length > 0) {
      const size = 2 ** Math.floor(Math.log2(Math.min(most, group.waiting.length)));
      const batch = group.waiting.splice(0, size);
      group.running += 1;
      void answer(run, batch).then(() => {
        group.running -= 1;
        next(name, group);
      });
    }
    if (group.running === 0) groups.delete(name);
  };

  return (ask) =>
    new Promise<Answer>((resolve, reject) => {
      const name = groupOf(ask);
      const group = groups.get(name) ?? { waiting: [], running: 0 };
      groups.set(name, group);
      group.waiting.push({ ask, resolve, reject });
      next(name, group);
    });
}

/** Never rejects: every ask of the batch is told by itself. */
async function answer<Ask, Answer>(
  run: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
  batch: readonly Waiting<Ask, Answer>[],
): Promise<void> {
  try {
    const answers = await run(batch.map(({ ask }) => ask));
    batch.forEach(({ resolve, reject }, at) => {
      const received = answers[at];
      if (received === undefined) reject(new Error('A batch was answered in part.'));
      else resolve(received);
    });
  } catch (error) {
    if (batch.length > 1 && isAboutARow(error)) await Promise.all(batch.map((one) => answer(run, [one])));
    else for (const { reject } of batch) reject(error);
  }
}

/** SQLSTATE classes 21 to 23: a value that no column takes, or a constraint. The statement was rolled back whole. */
function isAboutARow(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^2[123][0-9A-Z]{3}$/.test(code);
}
