import type { CliDeps } from '../deps.js';
import type { InstanceClient } from '../instance-client.js';
import type { SandboxAgent } from './sandbox-process.js';
import type { Story } from './story.js';

export interface Campaign {
  readonly client: InstanceClient;
  readonly story: Story;
  readonly deps: Pick<CliDeps, 'color' | 'layout'>;
  readonly agents: readonly SandboxAgent[];
}
