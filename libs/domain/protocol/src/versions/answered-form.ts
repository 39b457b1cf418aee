import type { JsonObject } from '@switchyard/values';
import { dialects } from './dialect.js';
import type { Form, WireProfile } from './wire-profile.js';
import { is3x } from '../message/form.js';
import { textAt } from '../message/pick.js';

/** A release of ours as an answer names it; a prerelease is none. */
const release = /^3\.(\d{1,3})(?:\.\d{1,3})?$/;

/**
 * The form that an answer is in: the release that it says it was served in, which need not be the one that was asked
 * for (docs/protocol/requests-and-versions.md#versions). One that names none is in the form that its seller is known
 * by; so is all that is older than 3.x, where the shapes tell and no release is named.
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
