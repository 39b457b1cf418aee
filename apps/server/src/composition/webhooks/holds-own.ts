import type { Buffer } from 'node:buffer';
import { concealTexts, parseStrictJson } from '@switchyard/values';

/** Whether a body contains one of these secrets, plain or written with escapes. */
export function holdsOwn(body: Buffer, own: readonly string[]): boolean {
  const text = body.toString('utf8');
  if (own.some((secret) => text.includes(secret))) return true;
  const json = parseStrictJson(body);
  return json.ok && concealTexts(json.value.value, own) !== json.value.value;
}
