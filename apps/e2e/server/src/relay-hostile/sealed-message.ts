import { createHash, sign, type KeyObject } from 'node:crypto';

export type HeaderLine = readonly [name: string, value: string];

/** A signed request before it is sent, with all parts that a fault may change. */
export interface SealedMessage {
  /** The path at the relay. */
  readonly path: string;
  /** The credential for the relay; absent: none is sent. */
  readonly token?: string;
  readonly signed: {
    readonly method: string;
    readonly url: string;
    readonly authority: string;
    readonly components: readonly string[];
    /** Parameters in the order in which they are written; a missing name is not written. */
    readonly params: Readonly<Record<string, string | number>>;
    readonly key: KeyObject;
  };
  readonly contentType: string;
  readonly body: Buffer;
  /** Changes the lines and the body after signing. */
  readonly tamper?: (wire: Wire) => Wire;
}

export interface Wire {
  readonly lines: readonly HeaderLine[];
  readonly body: Buffer;
}

/**
 * Signs a message by RFC 9421 and writes its lines. It shares no code with the product, so that a fault of the
 * product's signer cannot hide one of its verifier.
 */
export function sealedWire(message: SealedMessage): Wire {
  const { signed, body, contentType } = message;
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64url')}:`;
  const values: Readonly<Record<string, string>> = {
    '@method': signed.method,
    '@target-uri': signed.url,
    '@authority': signed.authority,
    'content-type': contentType,
    'content-digest': digest,
  };
  const params = Object.entries(signed.params)
    .map(([name, value]) => `;${name}=${typeof value === 'number' ? String(value) : `"${value}"`}`)
    .join('');
  const input = `(${signed.components.map((name) => `"${name}"`).join(' ')})${params}`;
  const base = [
    ...signed.components.map((name) => `"${name}": ${values[name] ?? ''}`),
    `"@signature-params": ${input}`,
  ].join('\n');
  const signature = sign(null, Buffer.from(base, 'latin1'), signed.key).toString('base64url');
  const wire: Wire = {
    lines: [
      ...(message.token === undefined ? [] : [['Authorization', `Bearer ${message.token}`] as const]),
      ['Content-Type', contentType],
      ['Content-Digest', digest],
      ['Signature-Input', `sig1=${input}`],
      ['Signature', `sig1=:${signature}:`],
    ],
    body,
  };
  return message.tamper?.(wire) ?? wire;
}

/** Returns the bytes of the whole HTTP request. */
export function bytesOf(path: string, host: string, { lines, body }: Wire): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${String(body.length)}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}
