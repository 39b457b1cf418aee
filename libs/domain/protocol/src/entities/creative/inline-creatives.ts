import type { JsonObject } from '@switchyard/values';
import type { Creative } from './creative-messages.js';
import type { Finding } from '../../losses/finding.js';
import type { Original } from '../../message/original.js';
import type { Form } from '../../versions/wire-profile.js';
import { canCarry, creativeFindings, projectCreative, readCreative } from './creative.js';

/**
 * The creatives inside a package, as a seller of this form takes them, and findings for what it cannot take. Creatives
 * of the library are projected separately.
 */
export function projectInline(
  creatives: readonly JsonObject[] | undefined,
  { form, to, field }: { readonly form: Original['form']; readonly to: Form; readonly field: string },
  fromLibrary: readonly Creative[] = [],
): { readonly creatives?: JsonObject[]; readonly findings: readonly Finding[] } {
  if (creatives === undefined && fromLibrary.length === 0) return { findings: [] };
  const isSame = form === to || form === 'ours';
  const verbatim = isSame ? (creatives ?? []).map((creative) => structuredClone(creative)) : [];
  const read = isSame ? [] : (creatives ?? []).map((value) => readCreative(value, form));
  const projected = [...read, ...fromLibrary];
  const findings = projected.flatMap((creative): readonly Finding[] => {
    if (canCarry(creative, to))
      return creativeFindings(creative, to).map((finding) => ({
        ...finding,
        field: `${field}.${finding.field ?? ''}`,
      }));
    const message =
      "The seller's protocol version identifies a format by format_id, and this creative has only a kind.";
    const place = `${field}.creatives[${creative.creativeId}].format_kind`;
    return [{ code: 'CREATIVE_LEFT_OUT', message, field: place }];
  });
  const carried = projected.filter((creative) => canCarry(creative, to));
  return { creatives: [...verbatim, ...carried.map((creative) => projectCreative(creative, to))], findings };
}
