import { pagesOf, type Page } from '../page.js';

const page = pagesOf('admin');

export const adminPages: readonly Page[] = [
  page(
    { path: '/sellers', title: 'Sellers', needs: 'sellers.read', words: 'health connections' },
    () => import('./sellers.js'),
    'SellersPage',
  ),
  page(
    { path: '/sellers/$slug', title: 'Seller', needs: 'sellers.read', hidden: true },
    () => import('./seller.js'),
    'SellerPage',
  ),
  page(
    { path: '/onboard', title: 'Onboard', needs: 'sellers.write', words: 'add new seller' },
    () => import('./onboard.js'),
    'OnboardPage',
  ),
  page(
    { path: '/credentials', title: 'Credentials', needs: 'sellers.read', words: 'vault secret rotate' },
    () => import('./credentials.js'),
    'CredentialsPage',
  ),
  page(
    { path: '/events', title: 'Events in', needs: 'reports.read', words: 'webhooks quarantine' },
    () => import('./events.js'),
    'EventsPage',
  ),
  page(
    {
      path: '/outgoing',
      title: 'Events out',
      needs: 'reports.read',
      words: 'webhooks deliveries attempts resend outbox',
    },
    () => import('./outgoing.js'),
    'OutgoingPage',
  ),
  page(
    {
      path: '/people',
      title: 'People',
      needs: 'principals.read',
      words: 'principals roles tokens users access',
    },
    () => import('./people.js'),
    'PeoplePage',
  ),
  page(
    { path: '/roles', title: 'Roles', needs: 'principals.read', words: 'permissions grants scope' },
    () => import('./roles.js'),
    'RolesPage',
  ),
  page(
    { path: '/limits', title: 'Limits', needs: 'ledger.read', words: 'budget spend' },
    () => import('./limits.js'),
    'LimitsPage',
  ),
  page(
    { path: '/delegations', title: 'Delegations', needs: 'delegations.read', words: 'relay brand' },
    () => import('./delegations.js'),
    'DelegationsPage',
  ),
  page(
    { path: '/relay', title: 'Relay trail', needs: 'delegations.read', words: 'custody signed passed' },
    () => import('./relay.js'),
    'RelayPage',
  ),
  page(
    { path: '/relay/$id', title: 'Trail of one request', needs: 'delegations.read', hidden: true },
    () => import('./trail.js'),
    'TrailPage',
  ),
  page(
    { path: '/audit', title: 'Audit', needs: 'principals.read', words: 'log who did' },
    () => import('./audit.js'),
    'AuditPage',
  ),
  page(
    { path: '/keys', title: 'Keys', needs: 'principals.read', words: 'signing rotate' },
    () => import('./keys.js'),
    'KeysPage',
  ),
  page(
    { path: '/system', title: 'System', needs: 'sellers.read', words: 'alarms health stop' },
    () => import('./system.js'),
    'SystemPage',
  ),
  page(
    { path: '/account', title: 'Your account', words: 'password me profile' },
    () => import('./account.js'),
    'AccountPage',
  ),
];
