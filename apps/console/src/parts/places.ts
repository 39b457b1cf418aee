/** A page of one object: its path below `/console`, and what follows the `?`. */
export interface Place {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

const ofKind: Readonly<Record<string, (id: string, name: string) => Place>> = {
  brand: (id) => ({ to: '/buys', search: { brand: id } }),
  break: (id) => ({ to: `/reconcile/${id}` }),
  campaign: (id) => ({ to: `/campaigns/${id}` }),
  client: (id) => ({ to: `/clients/${id}` }),
  creative: (id) => ({ to: `/creatives/${encodeURIComponent(id)}` }),
  custody: (id) => ({ to: `/calls/${id}` }),
  event: (id) => ({ to: `/webhooks/${id}` }),
  invoice: (id) => ({ to: `/invoices/${id}` }),
  media_buy: (id) => ({ to: `/buys/${encodeURIComponent(id)}` }),
  operation: (id) => ({ to: '/inbox/approvals', search: { operation_id: id, state: 'all' } }),
  'outgoing-event': (id) => ({ to: '/webhooks/out', search: { id } }),
  // Its name is the reference of its buy, or the id of the buy if it has no reference.
  package: (_, name) =>
    name.startsWith('mb_')
      ? { to: `/buys/${encodeURIComponent(name)}` }
      : { to: '/buys', search: { q: name } },
  period: (_, name) => ({ to: `/close/${name}` }),
  principal: (id) => ({ to: '/people', search: { principal: id } }),
  seller: (id) => ({ to: `/sellers/${encodeURIComponent(id)}` }),
  team: (id) => ({ to: '/people', search: { team: id } }),
};

/** The page of an object; Home for a kind that has no page (`hasPlace`). */
export const placeOf = (kind: string, id: string, name: string): Place =>
  ofKind[kind]?.(id, name) ?? { to: '/' };

export const hasPlace = (kind: string): boolean => Object.hasOwn(ofKind, kind);
