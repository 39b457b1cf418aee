import { createMediaBuy, readVoice } from '@switchyard/protocol';
import {
  committingTask,
  spendOfCreate,
  type Hold,
  type RelayFaultCode,
  type SealedCall,
} from '@switchyard/relay';
import type { OperationStore } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type JsonValue, type Result } from '@switchyard/values';

/**
 * What a sealed request is to hold of a budget: the sum of a buy's packages, in the currency that the seller quoted
 * them in; nothing for what commits nothing; and a fault where that cannot be told, which matters only under a
 * delegation that has a ceiling.
 */
export async function sealedHold(
  store: Pick<OperationStore, 'offers'>,
  scope: TenantScope,
  seller: string,
  call: SealedCall,
  exact: ReadonlyMap<string, string>,
): Promise<Result<Hold | undefined, RelayFaultCode>> {
  if (call.spec.name !== committingTask) {
    return namesMoney(call.args) && call.spec.kind === 'mutation'
      ? err('RELAY_SPEND_UNKNOWN')
      : ok(undefined);
  }
  const voice = readVoice({ taskName: call.taskName, args: call.args });
  if (!voice.ok) return err('RELAY_SPEND_UNKNOWN');
  const own = new Map(
    [...exact].flatMap(([pointer, text]): [string, string][] =>
      pointer.startsWith(`${call.argsPointer}/`) ? [[pointer.slice(call.argsPointer.length), text]] : [],
    ),
  );
  const request = createMediaBuy.readRequest(call.args, voice.value.voice, own);
  if (!request.ok || request.value.packages.length === 0) return err('RELAY_SPEND_UNKNOWN');
  const ids = request.value.packages.map(({ productId }) => `${seller}:${productId}`);
  const offers = await store.offers(scope, ids);
  return spendOfCreate(request.value, (productId, optionId) => {
    const offer = offers.get(`${seller}:${productId}`);
    return offer?.pricingOptions.find(({ pricingOptionId }) => pricingOptionId === optionId)?.currency;
  });
}

const money = /^(budget|total_budget|budget_change|bid_price|new_packages|packages_to_add)$/;

/** Whether any member says something of money, at any depth. */
function namesMoney(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(namesMoney);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => money.test(name) || namesMoney(member));
}
