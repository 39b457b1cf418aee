import type { OperationDraft } from '@switchyard/buys';
import type { SealedCall } from '@switchyard/relay';
import { brandDomainOf, defined, isJsonObject, type JsonValue } from '@switchyard/values';
import { mayActForNamed } from '../../platform/tasks/gates/reach-of-task.js';
import type { SealedCallIn } from '../relay.js';
import type { RelayDeps } from '../relay-deps.js';

/**
 * Whether the caller of a sealed change may act for every brand that it names, and for the brand of the buy that it
 * makes or changes (docs/protocol/accounts.md#for-whom-a-caller-may-act).
 */
export async function coversBrands(
  { campaigns }: Pick<RelayDeps, 'campaigns'>,
  { caller }: SealedCallIn,
  { spec, args }: SealedCall,
  { draft, isEntered }: { readonly draft: OperationDraft; readonly isEntered?: boolean },
): Promise<boolean> {
  const {
    operation: { brandDomain, clientId, campaignId },
    buy,
  } = draft;
  const account = isJsonObject(args['account']) ? args['account'] : {};
  const others = [args['brand'], account['brand'], buy?.brand]
    .flatMap(brandIn)
    .filter((brand) => brand.brandDomain !== brandDomain);
  const isPlaced = brandDomain !== undefined || others.length === 0;
  for (const named of [
    ...(isPlaced ? [defined({ brandDomain, clientId, campaignId, isEntered })] : []),
    ...others,
  ])
    if (!(await mayActForNamed(campaigns, caller, spec, named))) return false;
  return true;
}

function brandIn(brand: JsonValue | undefined) {
  const { domain, brand_id: brandId } = isJsonObject(brand) ? brand : {};
  if (typeof domain !== 'string') return [];
  return [{ brandDomain: brandDomainOf(domain), ...(typeof brandId === 'string' && { brandId }) }];
}
