import { isJsonObject, sanitizeKeyName, type JsonObject } from '@switchyard/values';
import type { Finding } from '../model/finding.js';
import { member } from './pick.js';

/** How a task's members of one form stand in others. */
export interface Carriage {
  /** Members that another form spells otherwise: any of the names carries it. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** Members that we honour ourselves, so that no seller has to be told. */
  readonly ours?: readonly string[];
  /** Members whose own members are looked at one by one, by the same rules, with their path in front. */
  readonly within?: readonly string[];
  /** Lists whose items are looked at likewise, each beside the one that has the same value in the member named here. */
  readonly each?: Readonly<Record<string, string>>;
}

/** A message of nothing but strange members is not answered in kind. */
const mostTold = 50;

/** What the envelope takes care of, whatever the task: versions per hop, our account plane, our own webhooks and keys. */
export const envelopeArguments: ReadonlySet<string> = new Set([
  'ads_version',
  'ads_major_version',
  'adcp_version',
  'adcp_major_version',
  'account',
  'idempotency_key',
  'context_id',
  'governance_context',
  'push_notification_config',
]);

/**
 * Members that were said and have no place in what was written, each as a finding: nothing is dropped in silence.
 * `ext` is vendor data and travels as it is; our own name in it never does.
 */
export function lostMembers(said: JsonObject, written: JsonObject, carriage: Carriage): readonly Finding[] {
  return lostBelow(said, written, carriage, '').slice(0, mostTold);
}

function lostBelow(said: JsonObject, written: JsonObject, carriage: Carriage, path: string): Finding[] {
  return Object.entries(said).flatMap(([name, value]) => {
    const at = `${path}${name}`;
    if (value === null || (path === '' && envelopeArguments.has(name))) return [];
    if (carriage.ours?.includes(at) === true || name === 'ext') return [];
    if (carriage.within?.includes(at) === true && isJsonObject(value)) {
      const inner = member(written, name);
      return lostBelow(value, isJsonObject(inner) ? inner : {}, carriage, `${at}.`);
    }
    const key = carriage.each?.[at];
    const twins = member(written, name);
    if (key !== undefined && Array.isArray(value) && Array.isArray(twins)) {
      return value.filter(isJsonObject).flatMap((item) => {
        const twin = twins.filter(isJsonObject).find((one) => member(one, key) === member(item, key));
        // An item that is not there at all was set aside, which is told where it is.
        return twin === undefined ? [] : lostBelow(item, twin, carriage, `${at}[].`);
      });
    }
    const { aliases = {} } = carriage;
    const names = [name, ...(Object.hasOwn(aliases, at) ? (aliases[at] ?? []) : [])];
    if (names.some((one) => member(written, one) !== undefined)) return [];
    return [notCarried(`${path}${sanitizeKeyName(name)}`)];
  });
}

export function notCarried(field: string): Finding {
  return { code: 'NOT_CARRIED', message: 'This has no place in the form that is spoken there.', field };
}
