import { pagesOf } from '../page.js';

const page = pagesOf('agency');

export const agencyPages = [
  page({ path: '/', title: 'Home', words: 'needs me today' }, () => import('./home.js'), 'HomePage'),
  page(
    { path: '/ask', title: 'Ask the market', needs: 'products.read', words: 'brief products proposals' },
    () => import('./plan/ask.js'),
    'AskPage',
  ),
  page(
    { path: '/plan', title: 'Plan and buy', needs: 'media_buys.write', words: 'basket packages limits' },
    () => import('./plan/plan.js'),
    'PlanPage',
  ),
  page({ path: '/buys', title: 'Buys', needs: 'media_buys.read' }, () => import('./buys.js'), 'BuysPage'),
  page(
    { path: '/flights', title: 'Flights', needs: 'media_buys.read', words: 'calendar weeks months schedule' },
    () => import('./flights.js'),
    'FlightsPage',
  ),
  page(
    { path: '/buys/$id', title: 'Buy', needs: 'media_buys.read', hidden: true },
    () => import('./buy.js'),
    'BuyPage',
  ),
  page(
    { path: '/creatives', title: 'Creatives', needs: 'creatives.read' },
    () => import('./creatives.js'),
    'CreativesPage',
  ),
  page(
    { path: '/signals', title: 'Signals', needs: 'signals.read', words: 'audience segments' },
    () => import('./plan/signals.js'),
    'SignalsPage',
  ),
  page(
    { path: '/approvals', title: 'Approvals', needs: 'media_buys.read' },
    () => import('./approvals.js'),
    'ApprovalsPage',
  ),
  page(
    { path: '/campaigns', title: 'Campaigns', needs: 'clients.read', words: 'clients brands unassigned' },
    () => import('./campaigns.js'),
    'CampaignsPage',
  ),
];
