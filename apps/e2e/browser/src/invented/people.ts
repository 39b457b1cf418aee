import { idOf, type Answer } from './answers.js';

type Me = Answer<'GET /v1/me'>;
type Kinds = readonly ('read' | 'write' | 'delete' | 'approve')[];

export type PersonName = 'tina' | 'fred' | 'adam' | 'pedal';

const all: Kinds = ['read', 'write', 'delete', 'approve'];
const trader: Readonly<Record<string, Kinds>> = {
  products: ['read'],
  media_buys: all,
  creatives: all,
  reports: ['read'],
  signals: all,
  sellers: ['read'],
  ledger: ['read'],
  clients: ['read', 'write'],
};
const finance: Readonly<Record<string, Kinds>> = {
  media_buys: ['read', 'approve'],
  reports: ['read', 'write'],
  sellers: ['read'],
  ledger: ['read', 'write', 'approve'],
  clients: ['read'],
};
const admin: Readonly<Record<string, Kinds>> = {
  media_buys: ['read'],
  creatives: ['read'],
  reports: ['read', 'write'],
  signals: ['read'],
  sellers: all,
  ledger: ['read'],
  delegations: all,
  principals: all,
  keys: all,
  clients: ['read'],
};
const brand: Readonly<Record<string, Kinds>> = {
  delegations: ['read'],
  reports: ['read'],
  sellers: ['read'],
};

const person = (
  at: number,
  name: string,
  kind: Me['kind'],
  role: string,
  permissions: Readonly<Record<string, Kinds>>,
): Me => ({
  principal_id: idOf(1, at),
  name,
  kind,
  organization: {
    organization_id: idOf(0, 1),
    name: 'Northlight Media',
    domain: 'northlight.example',
    time_zone: 'UTC',
    reporting_currency: 'USD',
  },
  teams: [],
  roles: [role],
  grants: [{ role, scope: 'organization', permissions }],
  permissions,
  permission_list: [],
  scopes: ['organization'],
  limits: [],
});

/** Who looks at the pictures. */
export const people: Readonly<Record<PersonName, Me>> = {
  tina: person(1, 'Tina Ferrara', 'person', 'trader', trader),
  fred: person(2, 'Fred Okafor', 'person', 'finance', finance),
  adam: person(3, 'Adam Lindqvist', 'person', 'admin', admin),
  pedal: { ...person(4, 'Pedal agent', 'brand', 'brand', brand), brand_domain: 'pedal.example' },
};
