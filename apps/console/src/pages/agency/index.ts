import {
  IconClipboardList,
  IconHome,
  IconInbox,
  IconPhoto,
  IconShoppingCart,
  IconSparkles,
  IconSpeakerphone,
  IconUsersGroup,
} from '@tabler/icons-react';
import { pagesOf } from '../page.js';

const top = pagesOf('top');
const page = pagesOf('buying');

export const agencyPages = [
  top(
    { path: '/', title: 'Home', words: 'needs me today', icon: IconHome },
    () => import('./home.js'),
    'HomePage',
  ),
  top(
    { path: '/inbox', title: 'Inbox', tab: 'Needs you', words: 'waiting tasks', icon: IconInbox },
    () => import('./inbox.js'),
    'InboxPage',
  ),
  top(
    {
      path: '/inbox/approvals',
      title: 'Approvals',
      tab: 'To approve',
      of: '/inbox',
      needs: 'media_buys.read',
    },
    () => import('./approvals.js'),
    'ApprovalsPage',
  ),
  top(
    {
      path: '/ask',
      title: 'Ask the market',
      needs: 'products.read',
      words: 'brief products proposals',
      icon: IconSparkles,
    },
    () => import('./plan/ask.js'),
    'AskPage',
  ),
  page(
    {
      path: '/campaigns',
      title: 'Campaigns',
      tab: 'List',
      needs: 'clients.read',
      words: 'clients brands unassigned',
      icon: IconSpeakerphone,
    },
    () => import('./campaigns.js'),
    'CampaignsPage',
  ),
  page(
    {
      path: '/campaigns/calendar',
      title: 'Calendar',
      tab: 'Calendar',
      of: '/campaigns',
      needs: 'media_buys.read',
      words: 'flights weeks months schedule',
    },
    () => import('./flights.js'),
    'FlightsPage',
  ),
  page(
    { path: '/campaigns/$id', title: 'Campaign', needs: 'clients.read', hidden: true },
    () => import('./campaign.js'),
    'CampaignPage',
  ),
  page(
    { path: '/clients/$id', title: 'Client', needs: 'clients.read', hidden: true, of: '/campaigns' },
    () => import('./client.js'),
    'ClientPage',
  ),
  page(
    {
      path: '/plans',
      title: 'Plans',
      needs: 'media_buys.write',
      words: 'plan and buy basket packages limits',
      icon: IconClipboardList,
    },
    () => import('./plan/plans.js'),
    'PlansPage',
  ),
  page(
    { path: '/plans/$id', title: 'Plan', needs: 'media_buys.write', hidden: true },
    () => import('./plan/plan.js'),
    'PlanPage',
  ),
  page(
    { path: '/buys', title: 'Buys', needs: 'media_buys.read', icon: IconShoppingCart },
    () => import('./buys.js'),
    'BuysPage',
  ),
  page(
    { path: '/buys/$id', title: 'Buy', needs: 'media_buys.read', hidden: true },
    () => import('./buy.js'),
    'BuyPage',
  ),
  page(
    { path: '/creatives', title: 'Creatives', needs: 'creatives.read', icon: IconPhoto },
    () => import('./creatives.js'),
    'CreativesPage',
  ),
  page(
    {
      path: '/creatives/new',
      title: 'New creative',
      needs: 'creatives.write',
      hidden: true,
      words: 'upload',
    },
    () => import('./new-creative.js'),
    'NewCreativePage',
  ),
  page(
    { path: '/creatives/$id', title: 'Creative', needs: 'creatives.read', hidden: true },
    () => import('./creative.js'),
    'CreativePage',
  ),
  page(
    { path: '/products/$id', title: 'Product', needs: 'products.read', hidden: true },
    () => import('./plan/product.js'),
    'ProductPage',
  ),
  page(
    {
      path: '/audiences',
      title: 'Audiences',
      needs: 'signals.read',
      words: 'signals segments',
      icon: IconUsersGroup,
    },
    () => import('./plan/signals.js'),
    'SignalsPage',
  ),
];
