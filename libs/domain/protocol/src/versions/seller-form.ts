import type { JsonObject } from '@switchyard/values';
import { dialects } from './dialect.js';
import type { Capabilities } from '../entities/capabilities/capabilities.js';
import type { Dialect, Form } from './wire-profile.js';
import { listAt, objectAt, textAt, textsAt } from '../message/pick.js';

/**
 * What we speak to a seller (docs/protocol/requests-and-versions.md#forms): what an admin configured, else what the
 * seller declares.
 *
 * `capabilities` is the payload of its capabilities task, or what we kept of it; absent where it has no such task.
 * 3.1 must be named; a seller that answers without naming a release is 3.0 in the `adcp` dialect, and `service` in
 * `ads` where it declares no major version either.
 */
export function sellerFormOf(
  capabilities: JsonObject | Capabilities | undefined,
  configured: 'auto' | Form,
  dialect: Dialect,
): Form {
  if (configured !== 'auto') return configured;
  if (capabilities === undefined) return dialect === 'adcp' ? '2.5' : 'service';
  const payload = isRead(capabilities) ? capabilities.original : capabilities;
  const releases = declaredReleases(payload);
  if (releases.some((release) => minorOf(release) >= 1)) return '3.1';
  if (releases.some((release) => minorOf(release) === 0)) return '3.0';
  const majors = declaredMajors(payload);
  if (majors.includes(3)) return '3.0';
  if (majors.includes(2)) return '2.5';
  return dialect === 'adcp' ? '3.0' : 'service';
}

/** Releases that a capabilities payload names, in either dialect's members. */
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

/** The minor number of a 3.x release that is no prerelease; -1 for anything else. */
function minorOf(release: string): number {
  const match = /^3\.(\d{1,3})(?:\.\d{1,3})?$/.exec(release);
  return match === null ? -1 : Number(match[1]);
}

function isRead(capabilities: JsonObject | Capabilities): capabilities is Capabilities {
  return 'supportedVersions' in capabilities && 'original' in capabilities;
}
