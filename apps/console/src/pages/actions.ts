import type { Place } from '../parts/places.js';

/** A deed that the palette offers. Only permitted ones are listed. */
export interface Action extends Place {
  readonly title: string;
  /** Additional search words. */
  readonly words?: string;
  readonly needs: string;
}

/** What can be done from anywhere. */
export const actionsAnywhere: readonly Action[] = [
  { title: 'Ask the market', words: 'brief buy', needs: 'products.read', to: '/ask' },
  { title: 'Connect a seller…', words: 'onboard new add', needs: 'sellers.write', to: '/sellers/new' },
  { title: 'Import an invoice…', words: 'bill upload', needs: 'ledger.write', to: '/invoices' },
  { title: 'Compare a month', words: 'reconcile differences', needs: 'ledger.write', to: '/reconcile' },
  { title: 'Close a month', words: 'period', needs: 'ledger.approve', to: '/close' },
  { title: 'Invite a person…', words: 'add user', needs: 'principals.write', to: '/people' },
  { title: 'Set a limit…', words: 'budget spend', needs: 'principals.write', to: '/limits' },
  { title: 'Make a campaign…', words: 'client brand new', needs: 'clients.write', to: '/campaigns' },
  { title: 'Decide held webhooks', words: 'quarantine', needs: 'ledger.approve', to: '/webhooks/held' },
];

/** What can be done with an object that was found, by its kind. */
export const actionsWith: Readonly<Record<string, (id: string, name: string) => readonly Action[]>> = {
  campaign: (id, name) => [
    {
      title: `Ask the market for ${name}`,
      needs: 'products.read',
      to: '/ask',
      search: { campaign: id },
    },
    {
      title: `Pause everything in ${name}…`,
      words: 'stop hold',
      needs: 'media_buys.write',
      to: `/campaigns/${id}`,
      search: { do: 'pause' },
    },
    { title: `Buys of ${name}`, needs: 'media_buys.read', to: `/campaigns/${id}`, search: { tab: 'Buys' } },
    {
      title: `Figures of ${name}`,
      needs: 'ledger.read',
      to: '/reports',
      search: { campaign: id, by: 'buy' },
    },
    {
      title: `Calendar of ${name}`,
      needs: 'media_buys.read',
      to: '/campaigns/calendar',
      search: { campaign: id },
    },
    { title: `Notes about ${name}`, needs: 'clients.read', to: `/campaigns/${id}`, search: { tab: 'Notes' } },
  ],
  seller: (id, name) => [
    { title: `Webhooks of ${name}`, needs: 'reports.read', to: '/webhooks', search: { seller: id } },
    { title: `Differences of ${name}`, needs: 'ledger.read', to: '/reconcile/all', search: { seller: id } },
    { title: `Buys at ${name}`, needs: 'media_buys.read', to: '/buys', search: { seller: id } },
  ],
  client: (id, name) => [
    { title: `Buys of ${name}`, needs: 'media_buys.read', to: '/buys', search: { client: id } },
    {
      title: `Figures of ${name}`,
      needs: 'ledger.read',
      to: '/reports',
      search: { client: id, by: 'campaign' },
    },
  ],
};
