import type { Capabilities } from '@switchyard/protocol';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/**
 * What a seller's new capabilities break of what we have built on the former ones, one sentence each: a release or a
 * protocol that is gone, keys without effect, signatures that it wants more often, webhooks without proof, another model of
 * accounts, or a way of billing that is gone. Everything else is no break.
 */
export function breakingChanges(before: Capabilities, after: Capabilities): readonly string[] {
  const gone = (was: readonly string[], is: readonly string[]): readonly string[] =>
    notIn(was, is).slice(0, 10);
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

/** One difference between two versions of a seller's capabilities. */
export interface CapabilityChange {
  /** `breaking`: something that was built on the former version may fail. */
  readonly grade: 'breaking' | 'notable';
  /** JSON pointer of a notable one. */
  readonly path?: string;
  readonly words: string;
}

const mostChanges = 100;
/** Members that change by themselves: times, counts, and the version of the document itself. */
const noise =
  /(?:^|\/)(?:last_updated|updated_at|adcp_version|capabilities_version|build_version|context|[a-z_]*count)$/;

/**
 * What changed between two versions, the breaking ones first, then each other path. Lists of texts are compared as sets,
 * so that another order is no change; other lists as they are.
 */
export function capabilityChanges(before: Capabilities, after: Capabilities): readonly CapabilityChange[] {
  const broken = breakingChanges(before, after).map((words) => ({ grade: 'breaking' as const, words }));
  const others: CapabilityChange[] = [];
  compare(before.original, after.original, '', others);
  return [...broken, ...others].slice(0, mostChanges);
}

function compare(before: JsonObject, after: JsonObject, at: string, into: CapabilityChange[]): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const path = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`.slice(0, 300);
    if (into.length >= mostChanges || noise.test(path)) continue;
    const [was, is] = [before[name], after[name]];
    if (isJsonObject(was) && isJsonObject(is)) compare(was, is, path, into);
    else {
      const words = difference(was, is);
      if (words !== undefined) into.push({ grade: 'notable', path, words });
    }
  }
}

/** The words for two values of one member; undefined if they are equal. */
function difference(was: JsonValue | undefined, is: JsonValue | undefined): string | undefined {
  if (was === undefined || is === undefined)
    return was === is ? undefined : is === undefined ? 'gone' : 'new';
  if (isTexts(was) && isTexts(is)) {
    const said = [...words('gone', notIn(was, is)), ...words('new', notIn(is, was))];
    return said.length === 0 ? undefined : said.join('; ');
  }
  if (canonicalJson(was) === canonicalJson(is)) return undefined;
  return isPlain(was) && isPlain(is) ? `${shown(was)} became ${shown(is)}` : 'changed';
}

/** A seller may list a hundred thousand names. */
function notIn(list: readonly string[], other: readonly string[]): readonly string[] {
  const others = new Set(other);
  return list.filter((one) => !others.has(one));
}

const words = (what: string, list: readonly string[]): readonly string[] =>
  list.length === 0 ? [] : [`${what}: ${list.slice(0, 10).map(shown).join(', ')}`];
const shown = (value: JsonValue): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 60);
const isPlain = (value: JsonValue): boolean => typeof value !== 'object' || value === null;
const isTexts = (value: JsonValue): value is readonly string[] & JsonValue =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
