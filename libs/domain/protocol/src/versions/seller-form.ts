import type { JsonObject } from '@switchyard/values';
import { dialects } from './dialect.js';
import type { Capabilities } from '../entities/capabilities/capabilities.js';
import { releaseNamed, releaseNames } from '../releases/known-releases.js';
import type { ReleaseName } from '../releases/release.js';
import { forms, latestForm } from './release-features.js';
import type { Dialect, Form, WireProfile } from './wire-profile.js';
import { listAt, objectAt, textAt, textsAt } from '../message/pick.js';
import { is3x } from '../message/form.js';

/**
 * Returns the form of requests to a seller (docs/protocol/requests-and-versions.md#forms): as an admin configured it,
 * or else as the seller declares.
 *
 * `capabilities` is the payload of its capabilities task, or the stored form of it; absent if it has no such task. 3.1
 * must be named. A seller that names no release has 3.0 in the `adcp` dialect, and `service` in `ads` if it declares no
 * major version either.
 */
export function sellerFormOf(
  capabilities: JsonObject | Capabilities | undefined,
  configured: SettingForm,
  dialect: Dialect,
): Form {
  if (isForm(configured)) return configured;
  if (configured !== 'auto') return latestForm;
  if (capabilities === undefined) return dialect === 'adcp' ? '2.5' : 'service';
  const payload = isRead(capabilities) ? capabilities.original : capabilities;
  const releases = declaredReleases(payload);
  if (releases.some((release) => minorOf(release) >= 1)) return '3.1';
  if (releases.some((release) => minorOf(release) === 0)) return '3.0';
  // A prerelease is built on the newest form; it is not spoken unless it is asked for.
  if (releases.some((release) => releaseNamed(release) !== undefined)) return latestForm;
  const majors = declaredMajors(payload);
  if (majors.includes(3)) return '3.0';
  if (majors.includes(2)) return '2.5';
  return dialect === 'adcp' ? '3.0' : 'service';
}

/** What an admin may set: a form, `auto`, or the exact name of a release after the newest form. */
export type SettingForm = 'auto' | Form | ReleaseName;

export const settingForms: readonly [SettingForm, ...SettingForm[]] = ['auto', ...forms, ...releaseNames];

function isForm(setting: SettingForm): setting is Form {
  return forms.some((form) => form === setting);
}

/** The profile of messages with a seller: what was set for it, and the form that follows from that. */
export function profileOf(seller: {
  readonly dialect: Dialect;
  readonly form: Form;
  readonly configuredForm?: SettingForm;
}): WireProfile {
  const { dialect, form, configuredForm } = seller;
  const release = releaseNamed(configuredForm);
  return { dialect, form, ...(release === undefined ? {} : { release: release.name }) };
}

/**
 * What to ask for capabilities with where a first answer left the release open: it names 3 as its major version and no
 * release. Some agents name a release only in the answer to a request that names it. Undefined where nothing is open.
 */
export function askedRelease(
  payload: JsonObject,
  configured: SettingForm,
  dialect: Dialect,
): JsonObject | undefined {
  const isOpen =
    configured === 'auto' && declaredMajors(payload).includes(3) && declaredReleases(payload).length === 0;
  return isOpen ? { [dialects[dialect].versionField]: latestForm } : undefined;
}

/** Returns the releases that a capabilities payload names, in the members of either dialect. */
export function declaredReleases(payload: JsonObject): readonly string[] {
  const echoed = [dialects.ads, dialects.adcp].map((names) => textAt(payload, names.versionField));
  const listed = capabilityBlocks(payload).flatMap((block) => textsAt(block, 'supported_versions'));
  return [...new Set([...listed, ...echoed.filter((text) => text !== undefined)])];
}

export function capabilityBlocks(payload: JsonObject): readonly JsonObject[] {
  return [dialects.ads, dialects.adcp]
    .map((names) => objectAt(payload, names.capabilitiesMember))
    .filter((block) => block !== undefined);
}

function declaredMajors(payload: JsonObject): readonly unknown[] {
  return capabilityBlocks(payload).flatMap((block) => listAt(block, 'major_versions') ?? []);
}

/** The minor number of a 3.x release; -1 for prereleases and anything else. */
function minorOf(release: string): number {
  const match = /^3\.(\d{1,3})(?:\.\d{1,3})?$/.exec(release);
  return match === null ? -1 : Number(match[1]);
}

function isRead(capabilities: JsonObject | Capabilities): capabilities is Capabilities {
  return 'supportedVersions' in capabilities && 'original' in capabilities;
}

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
