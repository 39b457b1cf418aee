import { createHash } from 'node:crypto';
import type { Creative } from '@switchyard/protocol';
import { canonicalJson } from '@switchyard/values';

/** SHA-256 (hex) of a creative as its buyer wrote it. Equal hashes mean equal creatives. */
export function creativeHash({ original }: Pick<Creative, 'original'>): string {
  return createHash('sha256').update(canonicalJson(original.value), 'utf8').digest('hex');
}
