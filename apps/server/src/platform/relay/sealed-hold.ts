import { createMediaBuy, readVoice, updateMediaBuy, type ExactNumbers } from '@switchyard/protocol';
import {
  committingTask,
  spendOfCreate,
  type CurrencyOf,
  type Hold,
  type RelayFaultCode,
  type SealedCall,
} from '@switchyard/relay';
import { spendOfUpdate, type OperationStore } from '@switchyard/buys';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type JsonValue, type Result } from '@switchyard/values';
import type { SealedSubject } from './sealed-subject.js';

type Held = Result<Hold | undefined, RelayFaultCode>;

/**
 * What a sealed request is to hold of a budget: the sum of a buy's packages, in the currency that the seller quoted
 * them in; of an update what it adds to that sum; nothing for what commits nothing; and a fault where that cannot be
 * told, which matters only under a delegation that has a ceiling.
 */
export async function sealedHold(
  store: Pick<OperationStore, 'offers'>,
  scope: TenantScope,
  connection: Connection,
  call: SealedCall,
  exact: ExactNumbers,
  subject: SealedSubject | undefined,
): Promise<Held> {
  if (call.spec.name === committingTask) return ofCreate(store, scope, connection.slug, call, exact);
  if (call.spec.kind !== 'mutation' || !namesMoney(call.args)) return ok(undefined);
  if (call.spec.name !== updateMediaBuy.name || subject === undefined) return err('RELAY_SPEND_UNKNOWN');
  const voice = { dialect: connection.dialect, form: connection.form };
  const products = productsUnder(call.args);
  const spend = spendOfUpdate(
    { args: call.args, voice, exact },
    subject.record,
    await currenciesOf(store, scope, connection.slug, products),
  );
  return spend === undefined ? err('RELAY_SPEND_UNKNOWN') : ok(spend);
}

async function ofCreate(
  store: Pick<OperationStore, 'offers'>,
  scope: TenantScope,
  seller: string,
  call: SealedCall,
  exact: ExactNumbers,
): Promise<Held> {
  const voice = readVoice({ taskName: call.taskName, args: call.args });
  if (!voice.ok) return err('RELAY_SPEND_UNKNOWN');
  const request = createMediaBuy.readRequest(call.args, voice.value.voice, exact);
  if (!request.ok || request.value.packages.length === 0) return err('RELAY_SPEND_UNKNOWN');
  const products = request.value.packages.map(({ productId }) => productId);
  return spendOfCreate(request.value, await currenciesOf(store, scope, seller, products));
}

async function currenciesOf(
  store: Pick<OperationStore, 'offers'>,
  scope: TenantScope,
  seller: string,
  products: readonly string[],
): Promise<CurrencyOf> {
  const ids = products.map((id) => `${seller}:${id}`);
  const offers = ids.length === 0 ? new Map<string, never>() : await store.offers(scope, ids);
  return (productId, optionId) => {
    const offer = offers.get(`${seller}:${productId}`);
    return offer?.pricingOptions.find(({ pricingOptionId }) => pricingOptionId === optionId)?.currency;
  };
}

/** The exact numbers of the arguments, by pointers into the arguments. */
export function exactIn(call: SealedCall, exact: ExactNumbers): ExactNumbers {
  return new Map(
    [...exact].flatMap(([pointer, text]): [string, string][] =>
      pointer.startsWith(`${call.argsPointer}/`) ? [[pointer.slice(call.argsPointer.length), text]] : [],
    ),
  );
}

const money = /^(budget|total_budget|budget_change|bid_price|new_packages|packages_to_add)$/;

/** Whether any member says something of money, at any depth. */
function namesMoney(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(namesMoney);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => money.test(name) || namesMoney(member));
}

/** Every product that is named, at any depth. */
export function productsUnder(value: JsonValue): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(productsUnder);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'product_id' && typeof member === 'string' ? [member] : productsUnder(member),
  );
}
