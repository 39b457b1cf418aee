import type { InstanceClient } from '../instance-client.js';
import { cell } from '../plain.js';
import { notTrue } from './campaign-failure.js';
import type { Story } from './story.js';

/** The data already has its campaign: only the ledger is verified. */
export async function verifyOnly(client: InstanceClient, story: Story): Promise<void> {
  story.step('The ledger is verified');
  const { entries, head } = await verifiedLedger(client);
  story.line(entries === '0' ? 'It has no entries yet.' : `${entries} entries, each balanced; head ${head}…`);
}

/** Verifies the ledger from its first entry. Returns how many entries it has, and the beginning of its head. */
export async function verifiedLedger(
  client: InstanceClient,
): Promise<{ readonly entries: string; readonly head: string }> {
  const verdict = await client.get('/v1/ledger/verify?from_start=true');
  if (!verdict.ok) notTrue(verdict.error.message);
  const { ok, reason, entries, head } = verdict.value;
  if (ok !== true) notTrue(`The ledger does not verify: ${cell(reason)}`);
  return { entries: cell(entries), head: cell(head).slice(0, 16) };
}
