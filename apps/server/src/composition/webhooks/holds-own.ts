import type { Buffer } from 'node:buffer';
import { concealTexts, parseStrictJson } from '@switchyard/values';

/** Whether a body holds one of these secrets of ours, as it stands there or spelled in escapes. */
export function holdsOwn(body: Buffer, own: readonly string[]): boolean {
  const text = body.toString('utf8');
  if (own.some((secret) => text.includes(secret))) return true;
  const json = parseStrictJson(body);
  return json.ok && concealTexts(json.value.value, own) !== json.value.value;
}
