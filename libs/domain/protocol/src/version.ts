import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import { dialects } from './dialect.js';
import { shapeOf } from './caller-shape.js';
import type { TaskError } from './model.js';
import { taskError } from './task-error.js';
import type { CallerVersion } from './task-spec.js';
import type { Dialect } from './voice.js';
import { member } from './wire/pick.js';

/** Releases that can be named in a version field. `service` and 2.5 are known by their shapes. */
export const supportedVersions = ['3.0', '3.1'] as const;

const major = 3;
/** A patch level is tolerated and ignored: releases are named by two numbers. */
const release = /^(\d{1,3})\.(\d{1,3})(?:\.\d{1,3})?(-[0-9A-Za-z.-]+)?$/;

export interface CallToRead {
  readonly taskName: string;
  readonly args: JsonValue;
  /** Of a registered signer: wins over all else (ruling 1). */
  readonly signerDialect?: Dialect;
}

/**
 * How a caller speaks, and the release that its answer is given in.
 *
 * The dialect is the signer's, else of the task's name, else of the version field, else `ads` (ruling 1). A release
 * is what a version field names: the same, or the highest below it that we have. Without one the shapes tell, and
 * 3.x shapes mean 3.0, because 3.1 must be named (ruling 2).
 */
export function readVoice(call: CallToRead): Result<CallerVersion, readonly TaskError[]> {
  const args = isJsonObject(call.args) ? call.args : {};
  const dialect = call.signerDialect ?? dialectOfName(call.taskName) ?? dialectOfFields(args) ?? 'ads';
  const named = namedRelease(args, dialect);
  if (!named.ok) return named;
  if (named.value !== undefined) {
    return ok({ voice: { dialect, form: named.value }, served: named.value });
  }
  const form = shapeOf(call.taskName, args, dialect);
  if (form === '3.0' || form === '3.1') return ok({ voice: { dialect, form }, served: form });
  return ok({ voice: { dialect, form } });
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

/** The supported release that the version fields ask for; `undefined` where they are absent. */
function namedRelease(
  args: JsonObject,
  dialect: Dialect,
): Result<'3.0' | '3.1' | undefined, readonly TaskError[]> {
  const names = [dialects[dialect], dialects[dialect === 'ads' ? 'adcp' : 'ads']];
  const { versionField, majorVersionField } =
    names.find(
      (one) =>
        member(args, one.versionField) !== undefined || member(args, one.majorVersionField) !== undefined,
    ) ?? dialects[dialect];
  const text = member(args, versionField) ?? undefined;
  const number = member(args, majorVersionField) ?? undefined;
  if (text === undefined && number === undefined) return ok(undefined);
  if (number !== undefined && number !== major) return err([unsupported(majorVersionField)]);
  if (text === undefined) return ok('3.0');
  const match = typeof text === 'string' ? release.exec(text) : null;
  if (match === null || match[3] !== undefined || Number(match[1]) !== major)
    return err([unsupported(versionField)]);
  return ok(Number(match[2]) >= 1 ? '3.1' : '3.0');
}

function unsupported(field: string): TaskError {
  const offered = supportedVersions.join(' and ');
  return taskError('VERSION_UNSUPPORTED', `This agent speaks releases ${offered}.`, {
    field,
    suggestion: `Name one of ${supportedVersions.join(', ')} as text.`,
    details: { supported_versions: [...supportedVersions], supported_majors: [major] },
  });
}
