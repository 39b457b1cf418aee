import type { OnTheWire, Tamper } from './middleman.js';

/** A position in a signed request, and a change of the one byte there. */
interface ByteChange {
  /** The kind of the position: `body`, a header's name, or a part of the request line. */
  readonly where: string;
  readonly tamper: Tamper;
}

/** Headers of which every byte is changed; the last one is the signature itself. */
export const changedHeaders = ['content-type', 'content-digest', 'signature-input', 'signature'] as const;

/** One change for each byte of the body and the headers, and for each signed part of the request line and Host. */
export function everyByte(sample: OnTheWire): readonly ByteChange[] {
  return [
    ...places(sample.body).map((at): ByteChange => ({
      where: 'body',
      tamper: (wire) => ({ ...wire, body: other(wire.body, at) }),
    })),
    ...changedHeaders.flatMap((name) =>
      places(sample.headers[name] ?? '').map((at): ByteChange => ({
        where: name,
        tamper: (wire) => ({
          ...wire,
          headers: { ...wire.headers, [name]: other(wire.headers[name] ?? '', at, name === 'signature') },
        }),
      })),
    ),
    { where: '@authority', tamper: (wire) => withHeader(wire, 'host', /\d$/) },
    { where: '@target-uri', tamper: (wire) => ({ ...wire, path: `${wire.path}?x` }) },
    // A method with which servers read a body, so that only the signature makes it invalid.
    { where: '@method', tamper: (wire) => ({ ...wire, method: 'PUT' }) },
  ];
}

const places = (text: string): readonly number[] => Array.from(text, (_one, at) => at);

/** Returns the text with the byte at that position replaced by another valid one. */
function other(text: string, at: number, isBase64 = false): string {
  const old = text[at] ?? '';
  return text.slice(0, at) + (isBase64 ? otherBits(old) : old === 'x' ? 'y' : 'x') + text.slice(at + 1);
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** In the last letter of a base64 text only two bits count: replaces it by a letter with other two. */
function otherBits(old: string): string {
  const at = alphabet.indexOf(old);
  return at >= 0 && at < 16 ? 'w' : 'A';
}

function withHeader(wire: OnTheWire, name: string, digit: RegExp): OnTheWire {
  const value = (wire.headers[name] ?? '').replace(digit, (last) => String((Number(last) + 1) % 10));
  return { ...wire, headers: { ...wire.headers, [name]: value } };
}
