import { lists, type SellerContacts } from '@switchyard/store';
import { reachOf } from '@switchyard/tenancy';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { shownRow } from '../platform/routes/declared-view.js';
import { plainText } from '../platform/routes/fields.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { findSeller, type FindSellerDeps } from './accounts/find-seller.js';

interface ContactsDeps extends ListDeps, FindSellerDeps {
  readonly contacts: SellerContacts;
  readonly clock: Clock;
  /** Returns a new UUID. */
  readonly newId: () => string;
}

const mostContacts = 50;

const example = {
  contact_id: '3c1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d14',
  seller: 'acme',
  purpose: 'billing',
  name: 'Accounts receivable',
  email: 'billing@acme.example',
  phone: '+44 20 7946 0000',
  set_by: 'Adam Lindqvist',
  created_at: '2026-11-26T09:00:00.000Z',
} as const;

const { view, routes: listed } = resource(lists.contactList, {
  noun: 'contact',
  plural: 'contacts',
  area: 'sellers',
  summary: 'Whom people reach at sellers',
  example,
  read: {
    seller: async (deps: ContactsDeps, caller, slug) => {
      const found = await findSeller(deps, caller, slug);
      return found.ok ? ok(found.value.id) : err({ ...found.error, field: 'seller' });
    },
  },
  command: {
    title: 'contacts: whom people reach at sellers',
    summary: 'list contacts, oldest first',
    columns: {
      Seller: 'seller',
      For: 'purpose',
      Name: 'name',
      'E-mail': 'email',
      Telephone: 'phone',
      Contact: 'contact_id',
    },
    none: 'There are no contacts.',
  },
});

const telephone = z
  .string()
  .trim()
  .regex(/^\+?[0-9][0-9 ()./-]{2,38}$/, 'must be a telephone number, such as +44 20 7946 0000');

const members = {
  purpose: z.enum(['sales', 'billing', 'technical', 'other']),
  name: plainText(200).trim().min(1),
  email: z.email().max(254),
  phone: telephone,
};

const route = routesOn<ContactsDeps>();

/** Contacts at sellers: entered, changed and removed by people and programs that manage the organization's sellers. */
export const contactRoutes = [
  ...listed,
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/contacts',
    id: 'add_contact',
    summary: 'Enter whom people reach at a seller: an e-mail address, a telephone number or both',
    needs: 'sellers.write',
    body: z.strictObject({
      purpose: members.purpose,
      name: members.name.exactOptional().describe('A person or a team.'),
      email: members.email.exactOptional(),
      phone: members.phone.exactOptional(),
    }),
    answer: view,
    status: 201,
    example,
    handle: async (deps, { caller, params, body: { purpose, name = null, email = null, phone = null } }) => {
      const narrow = organizationWide(caller, 'sellers', 'write');
      if (narrow !== undefined) return err(narrow);
      const found = await findSeller(deps, caller, params.slug);
      if (!found.ok) return found;
      if (email === null && phone === null) return err(noAddress);
      const contact = { id: deps.newId(), connectionId: found.value.id, purpose, name, email, phone };
      const by = caller.principalId;
      const isAdded = await deps.contacts.add(scopeOf(caller), contact, by, deps.clock.now(), mostContacts);
      return isAdded ? shown(deps, caller, contact.id) : err(tooMany);
    },
  }),
  route({
    method: 'post',
    path: '/v1/contacts/{id}',
    id: 'change_contact',
    summary: 'Change a contact at a seller; null takes a member away',
    needs: 'sellers.write',
    body: z.strictObject({
      purpose: members.purpose.exactOptional(),
      name: members.name.nullable().exactOptional(),
      email: members.email.nullable().exactOptional(),
      phone: members.phone.nullable().exactOptional(),
    }),
    answer: view,
    example: { ...example, changed_at: '2026-11-27T09:00:00.000Z' },
    handle: async (deps, { caller, params: { id }, body }) => {
      const found = await changeable(deps, caller, id);
      if (!found.ok) return found;
      const { email = found.value.email, phone = found.value.phone } = body;
      if ((email ?? phone ?? null) === null) return err(noAddress);
      await deps.contacts.change(scopeOf(caller), { id, ...body }, caller.principalId, deps.clock.now());
      return shown(deps, caller, id);
    },
  }),
  route({
    method: 'delete',
    path: '/v1/contacts/{id}',
    id: 'remove_contact',
    summary: 'Remove a contact at a seller',
    needs: 'sellers.write',
    answer: z.strictObject({ contact_id: z.string(), removed: z.literal(true) }),
    handle: async (deps, { caller, params: { id } }) => {
      const found = await changeable(deps, caller, id);
      if (!found.ok) return found;
      await deps.contacts.remove(scopeOf(caller), id);
      return ok({ contact_id: id, removed: true as const });
    },
  }),
];

const noContact: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no contact with this id.',
  field: 'id',
};
const noAddress: AdminFailure = {
  code: 'INVALID_REQUEST',
  message: 'A contact needs an e-mail address or a telephone number.',
  field: 'email',
};
const tooMany: AdminFailure = {
  code: 'CONFLICT',
  message: `A seller has ${mostContacts} contacts at most.`,
  field: 'slug',
  suggestion: 'Remove contacts that are no longer needed.',
};

type Shown = Result<z.output<typeof view>, AdminFailure>;

/** The contact, for a caller who may change it. */
async function changeable(deps: ContactsDeps, caller: PrincipalCaller, id: string): Promise<Shown> {
  const narrow = organizationWide(caller, 'sellers', 'write');
  return narrow === undefined ? shown(deps, caller, id) : err(narrow);
}

async function shown(deps: ListDeps, caller: PrincipalCaller, id: string): Promise<Shown> {
  const row = await deps.lists.one(caller, lists.contactList, reachOf(caller, 'sellers', 'write'), id);
  return row === undefined ? err(noContact) : ok(view.parse(shownRow(lists.contactList, row)));
}
