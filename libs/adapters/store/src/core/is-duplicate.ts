/** Whether an insert failed because the row already exists: P2002 of Prisma, 23505 of PostgreSQL. */
export function isDuplicate(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'P2002' || code === '23505';
}

/** Runs an insert. False if the row already exists; other errors are thrown. */
export async function unlessDuplicate(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}
