import type { Capabilities } from '@switchyard/protocol';
import { isJsonObject, type JsonValue } from '@switchyard/values';

/**
 * What a seller's new capabilities break of what we have built on the former ones, one sentence each: a release or a
 * protocol that is gone, keys without effect, signatures that it wants more often, webhooks without proof, another model of
 * accounts, or a way of billing that is gone. Everything else is no break.
 */
export function breakingChanges(before: Capabilities, after: Capabilities): readonly string[] {
  const gone = (was: readonly string[], is: readonly string[]): readonly string[] =>
    was.filter((one) => !is.includes(one)).slice(0, 10);
  const named = (what: string, list: readonly string[]): readonly string[] =>
    list.map((one) => `${what} ${one.slice(0, 60)}`);
  const [accountBefore, accountAfter] = [accountOf(before), accountOf(after)];
  return [
    ...named('It no longer speaks release', gone(before.supportedVersions, after.supportedVersions)),
    ...named('It no longer offers', gone(before.protocols, after.protocols)),
    ...(before.idempotency.supported && !after.idempotency.supported
      ? ['It no longer honours idempotency keys']
      : []),
    ...named(
      'It now wants a signature for',
      gone(after.requestSigning.requiredFor, before.requestSigning.requiredFor),
    ),
    ...(before.webhookSigning && !after.webhookSigning ? ['It no longer signs its webhooks'] : []),
    ...(accountBefore.isPerOperator !== accountAfter.isPerOperator
      ? ['It changed whose login its accounts belong to']
      : []),
    ...named('It no longer bills', gone(accountBefore.billing, accountAfter.billing)),
  ];
}

function accountOf({ original }: Capabilities): {
  readonly isPerOperator: boolean;
  readonly billing: readonly string[];
} {
  const { account } = original;
  const declared: Readonly<Record<string, JsonValue>> = isJsonObject(account) ? account : {};
  const billing = declared['supported_billing'];
  return {
    isPerOperator: declared['require_operator_auth'] === true,
    billing: Array.isArray(billing) ? billing.filter((one) => typeof one === 'string') : [],
  };
}
