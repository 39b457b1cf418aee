import {
  createMediaBuy,
  readWireProfile,
  updateMediaBuy,
  type ExactNumbers,
  profileOf,
} from '@switchyard/protocol';
import {
  committingTask,
  spendOfCreate,
  type CurrencyOf,
  type Hold,
  type RelayFaultCode,
  type SealedCall,
} from '@switchyard/relay';
import { spendOfUpdate, type Offer } from '@switchyard/buys';
import type { Connection } from '@switchyard/sellers';
import { err, ok, type JsonValue, type Result } from '@switchyard/values';
import type { SealedSubject } from './sealed-subject.js';

interface HeldCall {
  readonly connection: Connection;
  readonly call: SealedCall;
  readonly exact: ExactNumbers;
  readonly subject: SealedSubject | undefined;
}

/**
 * What a sealed request holds of a budget: the sum of a buy's packages, in the currency of the seller's quote, or the
 * total of a proposal; for an update what it adds to that sum; nothing if it commits nothing; a fault if the amount is
 * unknown, which matters only under a delegation with a ceiling.
 *
 * @param offers the seller's last quotes for the products that the request names, by prefixed id
 */
export function sealedHold(
  offers: ReadonlyMap<string, Offer>,
  { connection, call, exact, subject }: HeldCall,
): Result<Hold | undefined, RelayFaultCode> {
  const currencyOf = currencyIn(offers, connection.slug);
  if (call.spec.name === committingTask) return ofCreate(currencyOf, call, exact);
  if (call.spec.kind !== 'mutation' || !namesMoney(call.args)) return ok(undefined);
  if (call.spec.name !== updateMediaBuy.name || subject === undefined) return err('RELAY_SPEND_UNKNOWN');
  const spend = spendOfUpdate(
    { args: call.args, profile: profileOf(connection), exact },
    subject.record,
    currencyOf,
  );
  return spend === undefined ? err('RELAY_SPEND_UNKNOWN') : ok(spend);
}

function ofCreate(
  currencyOf: CurrencyOf,
  call: SealedCall,
  exact: ExactNumbers,
): Result<Hold | undefined, RelayFaultCode> {
  const profile = readWireProfile({ taskName: call.taskName, args: call.args });
  if (!profile.ok) return err('RELAY_SPEND_UNKNOWN');
  const request = createMediaBuy.readRequest(call.args, profile.value.profile, exact);
  if (!request.ok) return err('RELAY_SPEND_UNKNOWN');
  const { packages, proposal } = request.value;
  if (packages.length === 0 && proposal === undefined) return err('RELAY_SPEND_UNKNOWN');
  return spendOfCreate(request.value, currencyOf);
}

function currencyIn(offers: ReadonlyMap<string, Offer>, seller: string): CurrencyOf {
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

/** Whether any member names an amount of money, at any depth. */
function namesMoney(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(namesMoney);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => money.test(name) || namesMoney(member));
}

/** Every named product, at any depth. */
export function productsUnder(value: JsonValue): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(productsUnder);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'product_id' && typeof member === 'string' ? [member] : productsUnder(member),
  );
}
