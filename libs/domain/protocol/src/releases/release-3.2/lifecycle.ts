import type { LifecycleTask } from '../lifecycle-task.js';
import { acceptProposal } from './compact/accept-proposal.js';
import { buyProducts } from './compact/buy-products.js';
import { controlMediaBuy } from './compact/control-media-buy.js';
import { declineProposals } from './compact/decline-proposals.js';
import { listProducts } from './compact/list-products.js';
import { refineProposals } from './compact/refine-proposals.js';
import { requestProposals } from './compact/request-proposals.js';

/** Tasks that 3.2 added beside `get_products`, `create_media_buy` and `update_media_buy`. */
export const lifecycle: readonly LifecycleTask[] = [
  listProducts,
  requestProposals,
  refineProposals,
  declineProposals,
  buyProducts,
  acceptProposal,
  controlMediaBuy,
];

/** Tasks of 3.2 that are not offered, each with what its callers do instead. */
export const notOffered: Readonly<Record<string, string>> = {
  sync_agent_notification_configs:
    'Nobody is told here when capabilities change: read get_adcp_capabilities again, for example once a day.',
};
