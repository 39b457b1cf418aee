import type { JsonObject } from '@switchyard/values';
import type { Finding } from '../model/finding.js';
import type { Original } from '../model/original.js';
import type { Form } from '../voice.js';
import { canCarry, creativeFindings, projectCreative, readCreative } from './creative.js';

/** The creatives that a package brings with it, as a seller of this form takes them, and what it cannot be told. */
export function projectInline(
  creatives: readonly JsonObject[] | undefined,
  form: Original['form'],
  to: Form,
  field: string,
): { readonly creatives?: JsonObject[]; readonly findings: readonly Finding[] } {
  if (creatives === undefined) return { findings: [] };
  if (form === to || form === 'ours')
    return { creatives: creatives.map((one) => structuredClone(one)), findings: [] };
  const read = creatives.map((value) => readCreative(value, form));
  const findings = read.flatMap((creative): readonly Finding[] => {
    if (canCarry(creative, to))
      return creativeFindings(creative, to).map((one) => ({ ...one, field: `${field}.${one.field ?? ''}` }));
    const message = "The seller's form names a creative by format_id, and this one has a kind alone.";
    const place = `${field}.creatives[${creative.creativeId}].format_kind`;
    return [{ code: 'CREATIVE_LEFT_OUT', message, field: place }];
  });
  const carried = read.filter((creative) => canCarry(creative, to));
  return { creatives: carried.map((creative) => projectCreative(creative, to)), findings };
}
