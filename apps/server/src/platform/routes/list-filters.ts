import { authorize, reachOf, type ObjectFilter, type Reach, type TimeFilter } from '@switchyard/tenancy';
import type { ShownTasks } from '@switchyard/buys';
import { findTask, tasks, type PermissionArea, type PermissionKind } from '@switchyard/protocol';
import { defined, brandDomainOf, type SortKey } from '@switchyard/values';
import { z } from 'zod';
import { moment } from './fields.js';
import type { AdminFailure } from '../failure.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';

/** A UUID in a request, in lower case as PostgreSQL writes it. */
export const uuidText = z
  .string()
  .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be a UUID')
  .transform((text) => text.toLowerCase());

/** Filters of a list whose objects belong to operations; spread them into its query schema. */
export const objectQuery = {
  operation_id: uuidText.exactOptional(),
  media_buy_id: z.string().min(1).max(255).exactOptional(),
  client_id: uuidText.exactOptional(),
  brand: z.string().min(1).max(253).overwrite(brandDomainOf).exactOptional().describe('Domain of a brand.'),
  campaign_id: uuidText.exactOptional(),
};

export const timeQuery = {
  since: moment.exactOptional().describe('From this instant on.'),
  until: moment.exactOptional().describe('Before this instant.'),
};

export const sortQuery = {
  sort: z.enum(['newest', 'oldest']).exactOptional().describe('newest first unless set.'),
};

/** The order of a list of named objects. */
export const namedSortQuery = {
  sort: z.enum(['name', 'newest', 'oldest']).exactOptional().describe('By name unless set.'),
};

/** The order of a list by time of creation. */
export const madeSortQuery = {
  sort: z.enum(['newest', 'oldest']).exactOptional().describe('oldest first unless set.'),
};

/** The key of a row in the order of `namedSortQuery`. */
export function namedKey(sort: string | undefined, name: string, createdAt: number, id: string): SortKey {
  return sort === undefined || sort === 'name' ? [name] : [createdAt, id];
}

interface ObjectMembers {
  readonly operation_id?: string;
  readonly media_buy_id?: string;
  readonly client_id?: string;
  readonly brand?: string;
  readonly campaign_id?: string;
}

/** The members of a query under the names that repositories use. */
export function objectFilter(query: ObjectMembers): Omit<ObjectFilter, 'reach'> {
  const { operation_id: operationId, media_buy_id: mediaBuyId, campaign_id: campaignId } = query;
  const { client_id: clientId, brand: brandDomain } = query;
  return defined({ operationId, mediaBuyId, clientId, brandDomain, campaignId });
}

export function timeFilter({
  since,
  until,
}: {
  readonly since?: number;
  readonly until?: number;
}): TimeFilter {
  return defined({ since, until });
}

/** A reach as a member of a filter; empty for everything. */
export function reachFilter(
  caller: PrincipalCaller,
  area: PermissionArea,
  permission: PermissionKind,
): { readonly reach?: Reach } {
  const reach = reachOf(caller, area, permission);
  return reach.kind === 'everything' ? {} : { reach };
}

/** Refuses a caller with reach on a part of the organization if the object belongs to all of it. */
export function organizationWide(
  caller: PrincipalCaller,
  area: PermissionArea,
  permission: PermissionKind,
): AdminFailure | undefined {
  if (reachOf(caller, area, permission).kind === 'everything') return undefined;
  return {
    code: 'INSUFFICIENT_PERMISSIONS',
    message: `This needs the permission ${area}.${permission} in the scope organization.`,
  };
}

/** The permission area of a task; that of media buys if the name is no task. */
export function areaOfTask(task: string): PermissionArea {
  const area = findTask(task)?.area;
  return area === undefined || area === 'of_its_task' ? 'media_buys' : area;
}

/** The tasks that a caller may read, and of which objects: without access to creatives, their tasks are not shown. */
export function tasksShown(
  caller: PrincipalCaller,
  objects: Omit<ObjectFilter, 'reach'> = {},
): readonly ShownTasks[] {
  const shown = new Map<string, ShownTasks>();
  for (const { name } of tasks) {
    const area = areaOfTask(name);
    if (!authorize(caller, { access: 'credentials', area, permission: 'read' }).ok) continue;
    const filter = { ...objects, ...reachFilter(caller, area, 'read') };
    const key = JSON.stringify(filter);
    shown.set(key, { tasks: [...(shown.get(key)?.tasks ?? []), name], filter });
  }
  return [...shown.values()];
}
