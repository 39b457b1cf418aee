import type { LifecycleTask } from '../lifecycle-task.js';
import { acceptProposal } from './compact/accept-proposal.js';
import { buyProducts } from './compact/buy-products.js';
import { controlMediaBuy } from './compact/control-media-buy.js';
import { declineProposals } from './compact/decline-proposals.js';
import { listProducts } from './compact/list-products.js';
import { refineProposals } from './compact/refine-proposals.js';
import { requestProposals } from './compact/request-proposals.js';
import { syncAgentNotificationConfigs } from './compact/sync-agent-notification-configs.js';

/** Tasks that 3.2 added, each beside the older task that serves it. */
export const lifecycle: readonly LifecycleTask[] = [
  listProducts,
  requestProposals,
  refineProposals,
  declineProposals,
  buyProducts,
  acceptProposal,
  controlMediaBuy,
  syncAgentNotificationConfigs,
];
