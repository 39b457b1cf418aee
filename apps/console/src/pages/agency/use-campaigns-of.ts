import type { Answer } from '../../api/client.js';
import { useAnswer } from '../../parts/use-rows.js';
import { isDomain } from './plan/basket.js';

type Campaign = Answer<'GET /v1/campaigns'>['campaigns'][number];

/**
 * The campaigns of a brand, last changed first: a hundred at most. Undefined until they are read, and for a text that is
 * no domain. Without a brand the campaigns of all brands.
 */
export function useCampaignsOf(brand: string | null, enabled: boolean): readonly Campaign[] | undefined {
  const isRead = enabled && (brand === null || isDomain(brand));
  const query = { limit: '100', ...(brand !== null && { brand }) };
  return useAnswer('GET /v1/campaigns', { query }, isRead).data?.campaigns;
}
