import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import { dialects } from './dialect.js';
import { knownReleases, releaseNamed } from '../releases/known-releases.js';
import type { Release } from '../releases/release.js';
import { latestForm } from './release-features.js';
import { shapeOf } from '../message/caller-shape.js';
import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';
import type { CallerVersion } from '../task-spec.js';
import type { Dialect } from './wire-profile.js';
import { member } from '../message/pick.js';

/** Releases that a version field may name. `service` and 2.5 are recognized by their shapes. */
export const supportedVersions = ['3.0', '3.1'] as const;

const major = 3;
/** A patch number is accepted and ignored: releases have two numbers. */
const release = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})(?:\.\d{1,3})?(-[0-9A-Za-z.-]+)?$/;

interface CallToRead {
  readonly taskName: string;
  readonly args: JsonValue;
  /** The dialect of a registered signer; has precedence (docs/protocol/requests-and-versions.md#dialects). */
  readonly signerDialect?: Dialect;
}

/**
 * Returns a caller's wire profile, and the release of its answer.
 *
 * The dialect is the signer's, else that of the task's name, else that of the version field, else `ads`
 * (docs/protocol/requests-and-versions.md#dialects). The release is the one that a version field names, or the highest
 * supported one below it. Without a version field the shapes decide, and 3.x shapes mean 3.0, because 3.1 must be named
 * (docs/protocol/requests-and-versions.md#forms). A release after the newest form is served only if it is named exactly
 * (docs/protocol/requests-and-versions.md#releases).
 */
export function readWireProfile(
  call: CallToRead,
  known: readonly Release[] = knownReleases,
): Result<CallerVersion, readonly TaskError[]> {
  const args = isJsonObject(call.args) ? call.args : {};
  const dialect = dialectOf(call);
  const later = laterRelease(args, known);
  if (later !== undefined)
    return ok({ profile: { dialect, form: latestForm, release: later.name }, served: later.name });
  const named = namedRelease(args, dialect);
  if (!named.ok) return named;
  if (named.value !== undefined) {
    return ok({ profile: { dialect, form: named.value }, served: named.value });
  }
  const form = shapeOf(call.taskName, args, dialect);
  if (form === '3.0' || form === '3.1') return ok({ profile: { dialect, form }, served: form });
  return ok({ profile: { dialect, form } });
}

/** Returns the dialect of the answer, for any request, valid or not. */
export function dialectOf(call: CallToRead): Dialect {
  const args = isJsonObject(call.args) ? call.args : {};
  return call.signerDialect ?? dialectOfName(call.taskName) ?? dialectOfFields(args) ?? 'ads';
}

/** Returns the profile of an answer that refuses an unsupported version: the newest form of the caller's dialect. */
export function wireProfileOfRefusal(call: CallToRead): CallerVersion {
  const dialect = dialectOf(call);
  return { profile: { dialect, form: dialect === 'ads' ? 'service' : '3.1' } };
}

function dialectOfName(taskName: string): Dialect | undefined {
  return (['ads', 'adcp'] as const).find((dialect) => dialects[dialect].capabilitiesTask === taskName);
}

function dialectOfFields(args: JsonObject): Dialect | undefined {
  return (['adcp', 'ads'] as const).find((dialect) => {
    const { versionField, majorVersionField } = dialects[dialect];
    return member(args, versionField) !== undefined || member(args, majorVersionField) !== undefined;
  });
}

/** Returns the supported release that the version fields request; `undefined` if there are none. */
function namedRelease(
  args: JsonObject,
  dialect: Dialect,
): Result<'3.0' | '3.1' | undefined, readonly TaskError[]> {
  const names = [dialects[dialect], dialects[dialect === 'ads' ? 'adcp' : 'ads']];
  const received = names.flatMap((name) => [
    ...releaseAt(args, name.versionField),
    ...releaseAt(args, name.majorVersionField),
  ]);
  const wrong = received.find((version) => version.minor === undefined);
  if (wrong !== undefined) return err([unsupported(wrong.field, args)]);
  // A major version alone selects no release, and agrees with all its releases.
  const texts = received.filter((version) => typeof version.minor === 'number');
  const [first] = texts;
  const other = texts.find((text) => text.minor !== first?.minor);
  if (other !== undefined) return err([unsupported(other.field, args)]);
  if (received.length === 0) return ok(undefined);
  return ok(typeof first?.minor === 'number' && first.minor >= 1 ? '3.1' : '3.0');
}

/** The later release that all version texts name; `undefined` if they name none, or disagree. */
function laterRelease(args: JsonObject, known: readonly Release[]): Release | undefined {
  const names = Object.values(dialects);
  const texts = names.flatMap(({ versionField }) => member(args, versionField) ?? []);
  const majors = names.flatMap(({ majorVersionField }) => member(args, majorVersionField) ?? []);
  const [release, ...others] = texts.map((text) => releaseNamed(text, known));
  const agree = others.every((other) => other === release) && majors.every((number) => number === major);
  return agree ? release : undefined;
}

interface NamedRelease {
  readonly field: string;
  /** `any` if only the major version is named; absent if it is not supported. */
  readonly minor?: number | 'any';
}

function releaseAt(args: JsonObject, field: string): readonly NamedRelease[] {
  const value = member(args, field) ?? undefined;
  if (value === undefined) return [];
  if (value === major && field.endsWith('major_version')) return [{ field, minor: 'any' }];
  const match = typeof value === 'string' && !field.endsWith('major_version') ? release.exec(value) : null;
  if (match === null || match[3] !== undefined || Number(match[1]) !== major) return [{ field }];
  return [{ field, minor: Number(match[2]) }];
}

/** Includes the requested version if it is valid (versioning, in the tasks of the protocol). */
function unsupported(field: string, args: JsonObject): TaskError {
  const offered = supportedVersions.join(' and ');
  return taskError('VERSION_UNSUPPORTED', `This agent speaks releases ${offered}.`, {
    field,
    suggestion: `Name one of ${supportedVersions.join(', ')} as text.`,
    details: {
      ...requestedVersions(args),
      supported_versions: [...supportedVersions],
      supported_majors: [major],
    },
  });
}

/** Untrusted values: repeated only if their type is right and they are short. */
function requestedVersions(args: JsonObject): JsonObject {
  const requested: Record<string, string | number> = {};
  for (const { versionField, majorVersionField } of Object.values(dialects)) {
    const text = member(args, versionField);
    const number = member(args, majorVersionField);
    if (typeof text === 'string' && /^[\w.+-]{1,64}$/.test(text)) requested[versionField] = text;
    if (typeof number === 'number' && Number.isSafeInteger(number)) requested[majorVersionField] = number;
  }
  return requested;
}
