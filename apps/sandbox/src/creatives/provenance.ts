import type { Personality } from '../personalities.js';
import { objectOf, textOf, type JsonObject } from '../json.js';
import { refusal, type Refusal } from '../agent/outcome.js';

/** The rule of a seller for the creatives of its products, as a part of one. */
export function creativePolicy({ provenance }: Pick<Personality, 'provenance'>): JsonObject {
  if (provenance === 'unknown') return {};
  const isRequired = provenance === 'required';
  return {
    creative_policy: {
      co_branding: 'optional',
      landing_page: 'any',
      templates_available: false,
      provenance_required: isRequired,
      ...(isRequired ? { provenance_requirements: { require_digital_source_type: true } } : {}),
    },
  };
}

/** Why a creative at this place does not say enough of where it comes from. */
export function provenanceFault(
  { provenance: rule }: Pick<Personality, 'provenance'>,
  creative: JsonObject,
  at: string,
): Refusal | undefined {
  if (rule !== 'required') return undefined;
  const provenance = objectOf(creative['provenance']);
  const field = `${at}.provenance`;
  if (provenance === undefined)
    return refusal('PROVENANCE_REQUIRED', 'a creative says where it comes from', field);
  if (textOf(provenance['digital_source_type']) !== undefined) return undefined;
  const code = 'PROVENANCE_DIGITAL_SOURCE_TYPE_MISSING';
  return refusal(code, 'the kind of source is missing', `${field}.digital_source_type`);
}
