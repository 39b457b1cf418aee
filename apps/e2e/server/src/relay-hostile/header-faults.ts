import type { Fault, Forge } from './fault.js';
import type { HeaderLine, SealedMessage, Wire } from './sealed-message.js';

const sealedNames = ['Signature', 'Signature-Input', 'Content-Digest', 'Content-Type'] as const;

const mapped = (name: string, change: (value: string) => string): Fault['make'] => {
  return ({ honest }) =>
    tampered(honest(), ({ lines, body }) => ({
      lines: lines.map(([own, value]): HeaderLine => [own, own === name ? change(value) : value]),
      body,
    }));
};

/** All faults of header lines alone. */
export const headerFaults: readonly Fault[] = [
  {
    name: 'smuggled: second spelling',
    code: 'RELAY_HEADER_SMUGGLED',
    make: adding(({ chance }) => [
      chance.pick(['content_digest', 'Signature_Input', 'CONTENT_TYPE', 'content_type', 'signature_input']),
      chance.pick(['sha-256=:AAAA:', 'sig1=()', 'text/plain']),
    ]),
  },
  {
    name: 'smuggled: connection option',
    code: 'RELAY_HEADER_SMUGGLED',
    make: adding(({ chance }) => [
      'Connection',
      chance.pick(['keep-alive, ', '', 'X-Other ,']) +
        chance.pick([...sealedNames, 'authorization', 'SIGNATURE']),
    ]),
  },
  {
    name: 'smuggled: credential',
    code: 'RELAY_HEADER_SMUGGLED',
    make: adding(({ chance, secret }) => [
      chance.pick(['Proxy-Authorization', 'X-Api-Key', 'api-key', 'X-Auth-Token', 'x-access-token']),
      secret(),
    ]),
  },
  {
    name: 'smuggled: rewriting',
    code: 'RELAY_HEADER_SMUGGLED',
    make: adding(({ chance }) =>
      chance.pick<HeaderLine>([
        ['Trailer', 'Signature'],
        ['X-HTTP-Method-Override', 'PUT'],
        ['X-HTTP-Method', 'DELETE'],
        ['X-Method-Override', 'GET'],
        ['X-Original-URL', '/admin'],
        ['X-Rewrite-URL', '/admin'],
      ]),
    ),
  },
  ...sealedNames.map((name): Fault => ({
    name: `repeated: ${name}`,
    code: 'RELAY_HEADER_REPEATED',
    make: (forge) =>
      tampered(forge.honest(), ({ lines, body }) => {
        const own = lines.find(([text]) => text === name);
        const value = forge.chance.pick([own?.[1] ?? '', 'sig2=:AAAA:']);
        return { lines: [...lines, [forge.chance.pick([name, name.toLowerCase()]), value]], body };
      }),
  })),
  {
    name: 'duplicate label',
    code: 'request_signature_header_malformed',
    make: ({ chance, honest }) =>
      tampered(honest(), ({ lines, body }) => {
        const doubled = chance.pick(['Signature', 'Signature-Input']);
        return {
          lines: lines.map(([name, value]): HeaderLine => [
            name,
            name === doubled ? `${value}, ${value}` : value,
          ]),
          body,
        };
      }),
  },
  { name: 'half a pair: no Signature', code: 'RELAY_SIGNATURE_MISSING', make: without('Signature') },
  {
    name: 'half a pair: no Signature-Input',
    code: 'RELAY_SIGNATURE_MISSING',
    make: without('Signature-Input'),
  },
  {
    name: 'other label only',
    code: 'request_signature_header_malformed',
    make: mapped('Signature', (value) => value.replace('sig1', 'sig2')),
  },
  {
    name: 'content type',
    code: 'RELAY_CONTENT_TYPE',
    make: ({ chance, honest }) =>
      honest({
        contentType: chance.pick(['text/plain', 'application/xml', 'application/json-seq', 'text/json']),
      }),
  },
  {
    name: 'content encoding',
    code: 'RELAY_CONTENT_TYPE',
    make: adding(({ chance }) => [
      'Content-Encoding',
      chance.pick(['gzip', 'br', 'deflate', 'identity, gzip']),
    ]),
  },
  {
    name: 'no token',
    code: 'AUTH_REQUIRED',
    isRecorded: false,
    make: without('Authorization'),
  },
];

/** Adds lines before or after the signed ones. */
function adding(line: (forge: Forge) => HeaderLine): Fault['make'] {
  return (forge) => {
    const added = line(forge);
    const inFront = forge.chance.between(0, 1) === 1;
    return tampered(forge.honest(), ({ lines, body }) => ({
      lines: inFront ? [added, ...lines] : [...lines, added],
      body,
    }));
  };
}

function tampered(message: SealedMessage, tamper: (wire: Wire) => Wire): SealedMessage {
  return { ...message, tamper };
}

function without(name: string): Fault['make'] {
  return ({ honest }) =>
    tampered(honest(), ({ lines, body }) => ({ lines: lines.filter(([own]) => own !== name), body }));
}
