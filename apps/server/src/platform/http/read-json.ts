import type { FastifyRequest } from 'fastify';
import {
  err,
  findNul,
  nextTurn,
  ok,
  parseStrictJson,
  type Result,
  type StrictJson,
} from '@switchyard/values';
import { fieldOfPointer } from '../field-of-pointer.js';
import { bodyCaps, tooLarge, type BodyCap } from './body-caps.js';
import type { HttpFault } from './http-answer.js';

/** Bodies of more bytes take the event loop for long enough that others get a turn before the body is used. */
const smallBytes = 64 * 1024;

/**
 * The body as strictly parsed JSON, or its fault. No other code parses a request body. The caller is known here, and
 * its limits decide how much is read.
 */
export async function readJson(
  request: FastifyRequest,
  cap: BodyCap = bodyCaps.known,
): Promise<Result<StrictJson, HttpFault>> {
  const read = parsed(request, cap);
  if (Buffer.isBuffer(request.body) && request.body.length > smallBytes) await nextTurn();
  return read;
}

function parsed(request: FastifyRequest, cap: BodyCap): Result<StrictJson, HttpFault> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/json' && !/^application\/[a-z0-9.-]+\+json$/.test(type)) {
    return err({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: 'The body must be JSON.',
      suggestion: 'Send Content-Type: application/json.',
    });
  }
  const body = request.body;
  if (!Buffer.isBuffer(body) || body.length === 0) {
    return err({ code: 'INVALID_REQUEST', message: 'The body is empty.', suggestion: 'Send a JSON object.' });
  }
  if (body.length > cap.bytes) return err(tooLarge(cap.bytes));
  const json = parseStrictJson(body, { maxMembers: cap.members });
  if (json.ok) {
    const nul = nulIn(body, json.value);
    return nul === undefined ? ok(json.value) : err(nul);
  }
  const { code, message, pointer } = json.error;
  const field = fieldOfArgument(pointer);
  return err({
    code: code === 'too_large' ? 'PAYLOAD_TOO_LARGE' : 'INVALID_REQUEST',
    message: `The body is not acceptable JSON (${code}): ${message}.`,
    ...(field === '' ? {} : { field }),
    suggestion: suggestions[code],
  });
}

/** U+0000 is valid JSON and cannot be stored: refused here once, instead of by each store. */
function nulIn(body: Buffer, { value }: StrictJson): HttpFault | undefined {
  // It has only one spelling, so most bodies are not searched further.
  const pointer = body.includes('\\u0000') ? findNul(value) : undefined;
  if (pointer === undefined) return undefined;
  return holdsNul(fieldOfArgument(pointer));
}

export function holdsNul(field = ''): HttpFault {
  return {
    code: 'INVALID_REQUEST',
    message: 'A text contains the character U+0000.',
    ...(field === '' ? {} : { field }),
    suggestion: 'Leave that character out.',
  };
}

function fieldOfArgument(pointer: string): string {
  return fieldOfPointer(pointer).replace(wrapping, '');
}

/** The path of arguments inside MCP's and A2A's messages: callers know their arguments by shorter paths. */
const wrapping = /^params\.(?:arguments|message\.parts\[\d+\]\.data\.(?:parameters|input))(?:\.|$)/;

const suggestions = {
  malformed: 'Send one JSON document and nothing after it.',
  duplicate_key: 'Name every member of an object once.',
  too_deep: 'Nest less deeply.',
  too_many_members: 'Send fewer members.',
  too_large: 'Send a smaller body.',
  number_out_of_range: 'Send a number within the range of a double.',
  invalid_utf8: 'Encode the body as UTF-8.',
} as const;

/** The exact numbers below a pointer, with pointers relative to it. */
export function exactBelow(exact: ReadonlyMap<string, string>, pointer: string): ReadonlyMap<string, string> {
  if (exact.size === 0 || pointer === '') return exact;
  const below = new Map<string, string>();
  for (const [at, text] of exact) {
    if (at === pointer || at.startsWith(`${pointer}/`)) below.set(at.slice(pointer.length), text);
  }
  return below;
}
