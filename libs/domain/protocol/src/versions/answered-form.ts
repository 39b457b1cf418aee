import type { JsonObject } from '@switchyard/values';
import { dialects } from './dialect.js';
import type { Form, WireProfile } from './wire-profile.js';
import { is3x } from '../message/form.js';
import { textAt } from '../message/pick.js';

/** A 3.x release as an answer names it; prereleases do not match. */
const release = /^3\.(\d{1,3})(?:\.\d{1,3})?$/;

/**
 * Returns the form of an answer: the release that it names, which may differ from the requested one
 * (docs/protocol/requests-and-versions.md#versions). An answer that names none has the seller's known form; so has any
 * form before 3.x, because there no release is named.
 */
export function answeredForm(payload: JsonObject, { form }: WireProfile): Form {
  if (!is3x(form)) return form;
  const named = [dialects.ads, dialects.adcp]
    .map(({ versionField }) => textAt(payload, versionField))
    .find((text) => text !== undefined);
  const minor = release.exec(named ?? '')?.[1];
  if (minor === undefined) return form;
  return Number(minor) >= 1 ? '3.1' : '3.0';
}
