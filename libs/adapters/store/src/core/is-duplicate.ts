/** Whether an insert failed because the row already exists: P2002 of Prisma, 23505 of PostgreSQL. */
export function isDuplicate(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'P2002' || code === '23505';
}
