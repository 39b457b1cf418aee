import type pg from 'pg';

/**
 * Replaces the first partitions of an empty ledger and inbox by partitions of past months, as an installation has them
 * that began then. `months` are consecutive, `YYYY-MM`; the first partitions end where they begin. Needs the owner.
 */
export async function makePastMonths(
  owner: Pick<pg.Client, 'query'>,
  months: readonly string[],
): Promise<void> {
  const boundOf = async (table: string, month: string): Promise<string> => {
    if (table === 'inbox_event') return `'${month}-01'`;
    const { rows } = await owner.query<{ id: string }>(
      'select by_month.first_id($1::date::timestamptz) as id',
      [`${month}-01`],
    );
    return `'${rows[0]?.id ?? ''}'`;
  };
  const after = (month: string): string => {
    const [year = 0, of = 0] = month.split('-').map(Number);
    return new Date(Date.UTC(year, of)).toISOString().slice(0, 7);
  };
  await owner.query("set timezone = 'UTC'");
  for (const table of ['ledger_entry', 'ledger_posting', 'report_version', 'inbox_event']) {
    const attach = (name: string, from: string, to: string) =>
      owner.query(
        `alter table ${table} attach partition by_month.${table}_${name} for values from (${from}) to (${to})`,
      );
    await owner.query(`alter table ${table} detach partition by_month.${table}_first`);
    await attach('first', 'minvalue', await boundOf(table, months[0] ?? ''));
    for (const month of months) {
      const name = month.replace('-', '_');
      await owner.query(`create table by_month.${table}_${name} (like ${table} including all)`);
      await owner.query(
        `alter table by_month.${table}_${name} enable row level security, force row level security`,
      );
      await attach(name, await boundOf(table, month), await boundOf(table, after(month)));
    }
  }
}
