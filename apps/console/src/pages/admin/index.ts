import {
  IconActivity,
  IconBuildingStore,
  IconCode,
  IconGauge,
  IconSignature,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import { pagesOf, type Page } from '../page.js';

const market = pagesOf('market');
const page = pagesOf('setup');

export const adminPages: readonly Page[] = [
  market(
    {
      path: '/sellers',
      title: 'Sellers',
      tab: 'List',
      needs: 'sellers.read',
      words: 'health connections',
      icon: IconBuildingStore,
    },
    () => import('./sellers.js'),
    'SellersPage',
  ),
  market(
    {
      path: '/credentials',
      title: 'Keys and sign-in',
      tab: 'Keys and sign-in',
      of: '/sellers',
      needs: 'sellers.read',
      words: 'credentials vault secret rotate',
    },
    () => import('./credentials.js'),
    'CredentialsPage',
  ),
  market(
    {
      path: '/sellers/new',
      title: 'Connect a seller',
      tab: 'Connect a seller',
      of: '/sellers',
      needs: 'sellers.write',
      words: 'onboard add new import',
    },
    () => import('./connect/connect.js'),
    'ConnectPage',
  ),
  market(
    {
      path: '/cases',
      title: 'Cases',
      tab: 'Cases',
      of: '/sellers',
      needs: 'sellers.read',
      words: 'governance rights revoked taken back',
    },
    () => import('./cases.js'),
    'CasesPage',
  ),
  market(
    { path: '/cases/$id', title: 'Case', needs: 'sellers.read', of: '/cases', hidden: true },
    () => import('./case.js'),
    'CasePage',
  ),
  market(
    { path: '/sellers/$slug', title: 'Seller', needs: 'sellers.read', hidden: true },
    () => import('./seller.js'),
    'SellerPage',
  ),
  market(
    {
      path: '/webhooks',
      title: 'Webhooks',
      tab: 'In',
      needs: 'reports.read',
      words: 'events in reports',
      icon: IconWebhook,
    },
    () => import('./events.js'),
    'EventsPage',
  ),
  market(
    {
      path: '/webhooks/held',
      title: 'Held webhooks',
      tab: 'Held',
      of: '/webhooks',
      needs: 'reports.read',
      words: 'quarantine',
    },
    () => import('./events.js'),
    'HeldEventsPage',
  ),
  market(
    {
      path: '/webhooks/out',
      title: 'Webhooks out',
      tab: 'Out',
      of: '/webhooks',
      needs: 'reports.read',
      words: 'events deliveries attempts resend outbox',
    },
    () => import('./outgoing.js'),
    'OutgoingPage',
  ),
  market(
    { path: '/webhooks/$id', title: 'Webhook', needs: 'reports.read', hidden: true },
    () => import('./event.js'),
    'WebhookPage',
  ),
  page(
    {
      path: '/people',
      title: 'People and access',
      tab: 'People',
      needs: 'principals.read',
      words: 'principals tokens users invite teams',
      icon: IconUsers,
    },
    () => import('./people.js'),
    'PeoplePage',
  ),
  page(
    {
      path: '/people/roles',
      title: 'Roles',
      tab: 'Roles',
      of: '/people',
      needs: 'principals.read',
      words: 'permissions grants scope',
    },
    () => import('./roles.js'),
    'RolesPage',
  ),
  page(
    {
      path: '/people/sign-in',
      title: 'Sign-in',
      tab: 'Sign-in',
      of: '/people',
      needs: 'principals.read',
      words: 'policy second factor session password',
    },
    () => import('./sign-in-policy.js'),
    'SignInPolicyPage',
  ),
  page(
    {
      path: '/people/provider',
      title: 'Sign-in provider',
      tab: 'Provider',
      of: '/people',
      needs: 'principals.read',
      words: 'oidc openid connect okta entra google single sign-on sso groups roles',
    },
    () => import('./sign-in-provider.js'),
    'SignInProviderPage',
  ),
  page(
    {
      path: '/people/provisioning',
      title: 'Provisioning',
      tab: 'Provisioning',
      of: '/people',
      needs: 'principals.read',
      words: 'scim okta entra directory users groups',
    },
    () => import('./scim.js'),
    'ScimPage',
  ),
  page(
    { path: '/limits', title: 'Limits', needs: 'ledger.read', words: 'budget spend', icon: IconGauge },
    () => import('./limits.js'),
    'LimitsPage',
  ),
  page(
    {
      path: '/agents',
      title: 'Brand agents',
      tab: 'Permissions',
      needs: 'delegations.read',
      words: 'delegations relay brand what it may do',
      icon: IconSignature,
    },
    () => import('./delegations.js'),
    'DelegationsPage',
  ),
  page(
    {
      path: '/agents/calls',
      title: 'Calls',
      tab: 'Calls',
      of: '/agents',
      needs: 'delegations.read',
      words: 'relay trail custody signed passed record',
    },
    () => import('./relay.js'),
    'RelayPage',
  ),
  page(
    { path: '/calls/$id', title: 'Call', needs: 'delegations.read', of: '/agents/calls', hidden: true },
    () => import('./trail.js'),
    'TrailPage',
  ),
  page(
    {
      path: '/developers',
      title: 'Developers',
      needs: 'principals.read',
      words: 'keys signing rotate',
      icon: IconCode,
    },
    () => import('./keys.js'),
    'KeysPage',
  ),
  page(
    {
      path: '/system',
      title: 'System',
      tab: 'Health',
      needs: 'sellers.read',
      words: 'alarms health stop',
      icon: IconActivity,
    },
    () => import('./system.js'),
    'SystemPage',
  ),
  page(
    {
      path: '/system/acts',
      title: 'Who did what',
      tab: 'Who did what',
      of: '/system',
      needs: 'principals.read',
      words: 'audit log history',
    },
    () => import('./audit.js'),
    'AuditPage',
  ),
  page(
    { path: '/acts/$id', title: 'An assistant asks you', of: '/account', hidden: true },
    () => import('./assistant-act.js'),
    'AssistantActPage',
  ),
  page(
    { path: '/account', title: 'Your account', words: 'password me profile' },
    () => import('./account.js'),
    'AccountPage',
  ),
];
