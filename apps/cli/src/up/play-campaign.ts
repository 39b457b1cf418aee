import type { CliDeps } from '../deps.js';
import type { InstanceClient } from '../instance-client.js';
import { queryStep } from './query-step.js';
import { buyStep } from './buy-step.js';
import { ledgerStep } from './ledger-step.js';
import { reportsStep } from './reports-step.js';
import type { SandboxAgent } from './sandbox-process.js';
import type { Story } from './story.js';

export interface Campaign {
  readonly client: InstanceClient;
  readonly story: Story;
  readonly deps: Pick<CliDeps, 'color' | 'layout'>;
  readonly agents: readonly SandboxAgent[];
}

/**
 * Plays one campaign from brief to books through the instance's public API, as any buyer would. Throws
 * `CampaignFailure` at the first step that fails.
 */
export async function playCampaign(campaign: Campaign): Promise<void> {
  const products = await queryStep(campaign);
  const buy = await buyStep(campaign, products);
  await reportsStep(campaign, buy);
  await ledgerStep(campaign, buy);
}
