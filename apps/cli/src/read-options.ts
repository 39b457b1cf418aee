import { InvalidArgumentError } from 'commander';
import { err, ok, readInstant, type JsonObject, type Result } from '@switchyard/values';
import type { CliFailure } from './outcome.js';

/** The release of messages that the command line writes. Loading the protocol's own rules is avoided. */
export const spokenRelease = '3.1';

/** The values of `--form`: the version in which a seller writes its messages. */
export const sellerForms = ['auto', 'service', '2.5', '3.0', '3.1'];

/** Reads `--form`. A prerelease is named exactly, and the server knows which there are. */
export function sellerForm(text: string): string {
  if (sellerForms.includes(text) || /^\d+\.\d+(\.\d+)?-[\w.]+$/.test(text)) return text;
  throw new InvalidArgumentError(`It is one of ${sellerForms.join(', ')}, or a prerelease.`);
}

/** Reads an option that may be repeated. Each use takes one value, so that an argument may follow. */
export function several(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Reads `NAME=VALUE` of an option that may be repeated, as one object. */
export function pairs(text: string, before: JsonObject = {}): JsonObject {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write NAME=VALUE.');
  const name = text.slice(0, at);
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return { ...before, [name]: text.slice(at + 1) };
}

/** `products:read,media_buys:write` as `{products: [read], media_buys: [write]}`. The instance checks the names. */
export function readPermissions(text: string | undefined): Result<JsonObject | undefined, CliFailure> {
  if (text === undefined) return ok(undefined);
  const held = new Map<string, string[]>();
  for (const each of text.split(',').map((part) => part.trim())) {
    const [, area, kind] = /^([a-z_]+):([a-z]+)$/.exec(each) ?? [];
    if (area === undefined || kind === undefined) {
      return err({
        message: `${each} is no permission. Write them as area:kind, for example products:read.`,
      });
    }
    held.set(area, [...new Set([...(held.get(area) ?? []), kind])]);
  }
  return ok(Object.fromEntries(held));
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 24 * 3600 };

/** Seconds from now: a duration such as `90s`, `15m`, `12h` or `30d`, or until a date of RFC 3339. */
export function secondsFrom(
  text: string | undefined,
  option: string,
): Result<number | undefined, CliFailure> {
  if (text === undefined) return ok(undefined);
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return ok(Number(count) * (unitSeconds[unit] ?? 1));
  const until = readInstant(text);
  if (until === undefined) return err({ message: `${option} takes a time such as 12h or 30d, or a date.` });
  const seconds = Math.floor((until - Date.now()) / 1000);
  return seconds > 0 ? ok(seconds) : err({ message: `${option} lies in the past.` });
}
