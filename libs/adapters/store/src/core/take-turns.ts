import type { TenantClient } from './tenant-client.js';

/**
 * What one transaction of an organization does at a time, by the number of its advisory lock. A number stays as it is, also
 * where two share one: the version before runs beside this one.
 */
const turns = {
  comparison: 7273,
  journalBatch: 7274,
  figureImport: 7274,
  invitation: 7275,
  financeFile: 7276,
  client: 7281,
  insertionOrder: 7281,
  control: 7282,
  paymentRun: 7291,
  bankStatement: 7292,
  job: 7294,
} as const;

/**
 * Waits until no other transaction of the organization does the same, until the end of this one. With `of`, only those about
 * the same thing wait for each other.
 */
export async function takeTurn(client: TenantClient, turn: keyof typeof turns, of?: string): Promise<void> {
  const { organizationId } = client;
  await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [
    turns[turn],
    of === undefined ? organizationId : `${organizationId} ${of}`,
  ]);
}
