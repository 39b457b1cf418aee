import type { OrganizationRemovals } from '@switchyard/store';
import type { Clock } from '@switchyard/values';

export interface RemovalOfOrganizationsDeps {
  readonly removals: Pick<OrganizationRemovals, 'due' | 'removePart'>;
  /** Files of creatives. */
  readonly files: { removeAll(organizationId: string): Promise<void> };
  readonly clock: Clock;
}

/** Rows of one transaction. */
const rowsAtOnce = 2_000;
/** The time of one round, in milliseconds: the next one goes on. */
const roundMs = 4_000;

/**
 * Removes organizations whose waiting time is over, part by part. Where it is interrupted the next round goes on, in any
 * process: what is left says what is to be done.
 */
export async function removeOrganizations(
  { removals, files, clock }: RemovalOfOrganizationsDeps,
  most = rowsAtOnce,
): Promise<void> {
  const until = clock.now() + roundMs;
  for (const id of await removals.due()) {
    await files.removeAll(id);
    let from: string | undefined = '';
    while (from !== undefined && clock.now() < until) from = await removals.removePart(id, from, most);
    if (clock.now() >= until) return;
  }
}
