import type pg from 'pg';

/**
 * Makes the missing ledger partitions of this month and the next, and returns their names. If a reader of all
 * partitions blocks the lock for too long, it leaves the rest to the next call.
 */
export async function makeMonths(database: Pick<pg.Client, 'query'>): Promise<readonly string[]> {
  const made: string[] = [];
  for (;;) {
    try {
      const { rows } = await database.query<{ made: string | null }>('select by_month.make_next() as made');
      const name = rows[0]?.made ?? undefined;
      if (name === undefined) return made;
      made.push(name);
    } catch (error) {
      // lock_not_available, deadlock_detected
      if (!['55P03', '40P01'].includes((error as { code?: string }).code ?? '')) throw error;
      return made;
    }
  }
}
