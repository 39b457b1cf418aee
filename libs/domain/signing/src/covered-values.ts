import { err, ok, type Result } from '@switchyard/values';
import { canonicalAuthority, canonicalTarget } from './canonical-url.js';
import type { ReceivedMessage } from './verify/verdict.js';

const derived = new Set(['@method', '@target-uri', '@authority']);

/** Whether this verifier knows the component: one of the three derived ones, or a plain header field. */
export function isKnownComponent(name: string): boolean {
  return derived.has(name) || /^[a-z0-9!#$%&'*+\-.^_`|~]+$/.test(name);
}

/**
 * Returns the message's values for the covered components. Fails if the URL is malformed, if `Host`, `:authority` and
 * the URL name different authorities, or if a value has a character above U+00FF: cut to one byte, it could become a
 * character that was signed.
 */
export function coveredValues(
  message: ReceivedMessage,
  components: readonly string[],
  fields: ReadonlyMap<string, string>,
): Result<readonly CoveredValue[], string> {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(message.method)) return err('the method is none');
  const target = canonicalTarget(message.url);
  if (!target.ok) return target;
  const scheme = target.value.targetUri.startsWith('https:') ? 'https' : 'http';
  for (const name of [':authority', 'host']) {
    const received = fields.get(name);
    if (received === undefined) continue;
    const authority = canonicalAuthority(received, scheme);
    if (received.includes('@') || !authority.ok || authority.value !== target.value.authority) {
      return err(`${name} is not the authority of the URL`);
    }
  }
  const values: Readonly<Record<string, string>> = {
    '@method': message.method.toUpperCase(),
    '@target-uri': target.value.targetUri,
    '@authority': target.value.authority,
  };
  const covered: CoveredValue[] = [];
  for (const name of components) {
    const own = derived.has(name) ? values[name] : undefined;
    const value = own ?? fields.get(name) ?? '';
    if (own === undefined && /[^\0-\xff]/.test(value)) return err(`${name} has a character that is no byte`);
    covered.push([name, value]);
  }
  return ok(covered);
}

/** One line of a signature base: the component's name and its value. */
export type CoveredValue = readonly [name: string, value: string];

/**
 * Returns the text that is signed: one line for each covered component in the order of the list, then the list itself
 * as it was sent, without a line end.
 */
export function signatureBase(covered: readonly CoveredValue[], paramsText: string): string {
  const lines = covered.map(([name, value]) => `"${name}": ${value}\n`);
  return `${lines.join('')}"@signature-params": ${paramsText}`;
}
