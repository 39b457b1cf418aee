import type { OnTheWire, Tamper } from './middleman.js';

/** A place in a signed request, and a change of the one byte that is there. */
export interface ByteChange {
  /** What kind of place it is: `body`, a header's name, or a part of the request line. */
  readonly where: string;
  readonly tamper: Tamper;
}

/** Header fields whose every byte is changed; the last one is the signature itself. */
export const changedHeaders = ['content-type', 'content-digest', 'signature-input', 'signature'] as const;

/** One change for each byte of the body, of the headers, and of what the request line and Host are signed as. */
export function everyByte(sample: OnTheWire): readonly ByteChange[] {
  return [
    ...places(sample.body).map((at): ByteChange => ({
      where: 'body',
      tamper: (one) => ({ ...one, body: other(one.body, at) }),
    })),
    ...changedHeaders.flatMap((name) =>
      places(sample.headers[name] ?? '').map((at): ByteChange => ({
        where: name,
        tamper: (one) => ({
          ...one,
          headers: { ...one.headers, [name]: other(one.headers[name] ?? '', at, name === 'signature') },
        }),
      })),
    ),
    { where: '@authority', tamper: (one) => withHeader(one, 'host', /\d$/) },
    { where: '@target-uri', tamper: (one) => ({ ...one, path: `${one.path}?x` }) },
    // A verb that servers read a body with, so that nothing but the signature speaks against it.
    { where: '@method', tamper: (one) => ({ ...one, method: 'PUT' }) },
  ];
}

const places = (text: string): readonly number[] => Array.from(text, (_one, at) => at);

/** The text with the byte at that place exchanged for another that HTTP carries as well. */
function other(text: string, at: number, isBase64 = false): string {
  const old = text[at] ?? '';
  return text.slice(0, at) + (isBase64 ? otherBits(old) : old === 'x' ? 'y' : 'x') + text.slice(at + 1);
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The last letter of a base64 text carries two bits that count: one with other two is taken. */
function otherBits(old: string): string {
  const at = alphabet.indexOf(old);
  return at >= 0 && at < 16 ? 'w' : 'A';
}

function withHeader(one: OnTheWire, name: string, digit: RegExp): OnTheWire {
  const value = (one.headers[name] ?? '').replace(digit, (last) => String((Number(last) + 1) % 10));
  return { ...one, headers: { ...one.headers, [name]: value } };
}
