import type { InstanceClient } from '../instance-client.js';
import { cell } from '../plain.js';
import { notTrue } from './campaign-failure.js';
import type { Story } from './story.js';

/** The data already has its campaign: only the ledger is verified. */
export async function verifyOnly(client: InstanceClient, story: Story): Promise<void> {
  story.step('The ledger is verified');
  const verdict = await client.get('/v1/ledger/verify?from_start=true');
  if (!verdict.ok) notTrue(verdict.error.message);
  if (verdict.value['ok'] !== true) notTrue(`The ledger does not verify: ${cell(verdict.value['reason'])}`);
  story.line(
    `${cell(verdict.value['entries'])} entries, each balanced; head ${cell(verdict.value['head']).slice(0, 16)}…`,
  );
}
