import { err, ok, type Result } from '@switchyard/values';
import { canonicalAuthority, canonicalTarget } from './canonical-url.js';
import type { CoveredValue } from './signature-base.js';
import type { ReceivedMessage } from './verify/verdict.js';

const derived = new Set(['@method', '@target-uri', '@authority']);

/** True for components that this verifier can give a value: the three derived ones and plain header fields. */
export function isKnownComponent(name: string): boolean {
  return derived.has(name) || /^[a-z0-9!#$%&'*+\-.^_`|~]+$/.test(name);
}

/**
 * The values that the message itself gives for the covered components. Fails when the URL is malformed, when `Host`,
 * `:authority` and the URL do not name one authority, or when a value has a character that is no byte: cut down to one,
 * it could become a character that was signed.
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
