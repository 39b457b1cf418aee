import type { TenantScope } from '@switchyard/tenancy';
import type { CreativeStore } from './creative-library.js';
import { isOwn } from './is-anothers.js';

/**
 * Which of these creatives a tenant may not name at a seller: over an account that another tenant may use as well, all that
 * do not stand there, or are on their way, by its own library. Whether one is the other's or nobody's makes no difference.
 */
export async function creativesNotOwn(
  creatives: Pick<CreativeStore, 'byIds' | 'elsewhere'>,
  scope: TenantScope,
  connectionId: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const elsewhere = await creatives.elsewhere(scope, ids);
  if (!elsewhere.has(connectionId)) return [];
  const owners = { elsewhere, library: await creatives.byIds(scope, ids) };
  return ids.filter((id) => !isOwn(id, connectionId, owners));
}
