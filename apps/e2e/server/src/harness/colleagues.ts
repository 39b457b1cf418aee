import { randomUUID } from 'node:crypto';
import { openStore } from '@switchyard/store';
import {
  allPermissions,
  operatorAreas,
  permissionTable,
  usualPermissions,
  type Permissions,
} from '@switchyard/tenancy';
import { createPrincipal, createToken } from '@switchyard/testing';
import { Catalogue, buyRequest, type Json } from './buy-request.js';
import { ownerUrlOf } from './data-folder.js';
import { ownerView } from './database.js';
import { callTask } from './call-task.js';
import type { Instance } from './instance.js';
import { insertApproval, nobodys, type Owned } from './own-everything.js';
import { waitUntil } from './wait-until.js';
import { send } from './http-answer.js';

/** Another principal of the owner's own organization. */
export interface Colleague {
  /** The kind of the principal, and what its token permits. */
  readonly name: string;
  /** `narrow`: an operator's token with fewer permissions than an operator. */
  readonly kind: 'whole' | 'narrow' | 'nobody';
  readonly principalId: string;
  /** Absent: it has no credential. */
  readonly token?: string;
}

const isOperators = (area: string): boolean => operatorAreas.some((operatorArea) => operatorArea === area);

/** All permissions except those of an operator. */
const withoutOperators: Permissions = Object.fromEntries(
  Object.entries(permissionTable).filter(([area]) => !isOperators(area)),
);

/** Returns principals that are no operators, by kind, and for an operator each token with fewer permissions. */
export async function colleaguesOf(data: string, organizationId: string): Promise<readonly Colleague[]> {
  const store = openStore(ownerUrlOf(data));
  const made = async (
    name: string,
    wanted: Parameters<typeof createPrincipal>[2],
    narrowed?: Permissions,
  ): Promise<Colleague> => {
    const principal = await createPrincipal(store, organizationId, wanted);
    return {
      name,
      kind: narrowed === undefined ? 'whole' : 'narrow',
      principalId: principal.id,
      token: await createToken(store, principal, narrowed),
    };
  };
  const colleagues = [
    await made('a buyer', { kind: 'buyer', permissions: usualPermissions.buyer }),
    await made('a brand', {
      kind: 'brand',
      brandDomain: 'colleague.example',
      permissions: usualPermissions.brand,
    }),
    await made('a service with all but an operator’s permissions', {
      kind: 'service',
      permissions: withoutOperators,
    }),
    await made('a person without an operator’s permissions', {
      kind: 'person',
      permissions: withoutOperators,
    }),
  ];
  for (const [set, permissions] of permissionSets)
    if (!Object.keys(permissions).some(isOperators))
      colleagues.push(
        await made(
          `an operator’s narrow token with ${set}`,
          { kind: 'person', permissions: allPermissions },
          permissions,
        ),
      );
  await store.close();
  return [...colleagues, { name: 'nobody', kind: 'nobody', principalId: randomUUID() }];
}

/** Returns the items of a colleague that not all principals of the organization share; other ids are of no item. */
export async function ownOfColleague(
  instance: Pick<Instance, 'url' | 'data'>,
  { token, principalId }: Colleague,
): Promise<Owned> {
  const to = { url: instance.url, ...(token === undefined ? {} : { token }) };
  const catalogue = await Catalogue.read(to);
  const buy = buyRequest([catalogue.packageOf('prompt')], { end_time: '2099-01-01T00:00:00Z' });
  const { body, text } = await callTask('REST', to, 'create_media_buy', buy);
  const mediaBuyId = body['media_buy_id'];
  if (typeof mediaBuyId !== 'string') throw new Error(`create_media_buy answered ${text}`);
  const grant: Json = {
    principal_id: principalId,
    seller: 'prompt',
    tasks: ['create_media_buy'],
    until: '2099-01-01',
  };
  const granted = await send({ url: instance.url, token: token ?? '' }, 'POST', '/v1/delegations', grant);
  const { delegation_id: delegationId } = JSON.parse(granted.text) as { readonly delegation_id: string };
  const view = await ownerView(instance.data);
  const row = await waitUntil(
    'an event of its buy',
    async () =>
      (
        await view.rows<Readonly<Record<'leg' | 'event' | 'registration' | 'operation', string>>>(
          `select r.leg_id as leg, r.operation_id as operation, e.id as event, r.id as registration
           from operation o join webhook_registration r on r.operation_id = o.id
           join inbox_event e on e.registration_id = r.id where o.principal_id = '${principalId}'`,
        )
      )[0],
  );
  await view.close();
  const approvalId = randomUUID();
  await insertApproval(instance.data, approvalId, row.leg);
  return {
    ...nobodys(),
    principalId,
    seller: 'prompt',
    mediaBuyId,
    delegationId,
    approvalId,
    legId: row.leg,
    eventId: row.event,
    operationId: row.operation,
    registrationId: row.registration,
  };
}

/** All permissions, none, each area alone, and each kind alone. */
export const permissionSets: readonly (readonly [string, Permissions])[] = [
  ['everything', allPermissions],
  ['nothing', {}],
  ...Object.entries(permissionTable).flatMap(([area, kinds]): (readonly [string, Permissions])[] => [
    [area, { [area]: kinds }],
    ...(kinds.length === 1
      ? []
      : kinds.map((kind): readonly [string, Permissions] => [`${area} ${kind}`, { [area]: [kind] }])),
  ]),
];
