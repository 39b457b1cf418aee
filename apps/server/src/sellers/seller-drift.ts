import { capabilityChanges, type Connection } from '@switchyard/sellers';
import type { CapabilityVersions } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, isoOf } from '@switchyard/values';
import { z } from 'zod';
import { instant } from '../platform/routes/fields.js';
import { inspectSeller, type InspectDeps } from './onboarding/inspect-seller.js';

export const capabilityChange = z.strictObject({
  grade: z
    .enum(['breaking', 'notable'])
    .describe('breaking: something that was built on the former version may fail.'),
  path: z.string().exactOptional().describe('JSON pointer into its capabilities.'),
  words: z.string(),
});

/** How a seller's capabilities have changed since it was added. */
export const driftView = z.strictObject({
  asks: z
    .boolean()
    .describe('Whether new buys wait for approval until a person accepts the breaking changes.'),
  versions: z
    .array(
      z.strictObject({
        version: z.int(),
        read_at: instant,
        asks: z.boolean(),
        accepted_at: instant.exactOptional(),
        changes: z.array(capabilityChange),
      }),
    )
    .describe('The newest ten that changed something, newest first.'),
});

const shownVersions = 10;

export async function driftOf(
  versions: CapabilityVersions,
  scope: TenantScope,
  connectionId: string,
): Promise<z.output<typeof driftView>> {
  const all = await versions.of(scope, connectionId);
  return {
    asks: all.some(({ asks }) => asks),
    versions: all
      .filter(({ changes }) => changes.length > 0)
      .slice(0, shownVersions)
      .map(({ version, readAt, asks, acceptedAt, changes }) => ({
        version,
        read_at: isoOf(readAt),
        asks,
        ...(acceptedAt !== undefined && { accepted_at: isoOf(acceptedAt) }),
        changes: changes.map(changeView),
      })),
  };
}

/** What differs now from what is stored of a seller; empty where it does not answer. Stores nothing. */
export async function driftNow(
  deps: InspectDeps,
  scope: TenantScope,
  connection: Connection,
): Promise<readonly z.output<typeof capabilityChange>[]> {
  const { capabilities: before } = connection;
  if (before === undefined) return [];
  const found = await inspectSeller(deps, scope, connection);
  return found.ok ? capabilityChanges(before, found.value.capabilities).map(changeView) : [];
}

const changeView = ({ grade, path, words }: z.output<typeof capabilityChange>) => ({
  grade,
  words,
  ...defined({ path }),
});
