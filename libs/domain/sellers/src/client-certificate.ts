import { createPrivateKey, X509Certificate } from 'node:crypto';
import { err, ok, type Instant, type Result } from '@switchyard/values';

/** A certificate of ours for sellers that know their callers by TLS (RFC 8446, section 4.4.2), without its key. */
export interface ClientCertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  /** The names that it is for, as its extension has them. */
  readonly names: string;
  readonly endsAt: Instant;
}

const begin = '-----BEGIN CERTIFICATE-----';
const mostCertificates = 10;
const mostText = 200;

/**
 * Reads a chain and its private key, as PEM: the first certificate is ours, belongs to the key, is valid now, and is for
 * the domain by which sellers know us. Fails with one sentence that holds nothing of the key.
 */
export function readClientCertificate(
  pem: string,
  { domain, now }: { readonly domain: string; readonly now: Instant },
): Result<ClientCertificateFacts, string> {
  const count = pem.split(begin).length - 1;
  if (count === 0)
    return err('There is no certificate in it: it must be PEM, with a line BEGIN CERTIFICATE.');
  if (count > mostCertificates) return err(`It has more than ${mostCertificates} certificates.`);
  const certificate = certificateIn(pem);
  if (certificate === undefined) return err('Its first certificate cannot be read.');
  const key = keyIn(pem);
  if (key === undefined)
    return err('There is no private key in it that can be read: it must be PEM, and not encrypted.');
  if (!certificate.checkPrivateKey(key))
    return err('Its private key is not the one of its first certificate.');
  const facts = factsOf(certificate);
  if (Date.parse(certificate.validFrom) > now) return err(`It is not valid before ${certificate.validFrom}.`);
  if (facts.endsAt <= now) return err(`It ended on ${new Date(facts.endsAt).toISOString().slice(0, 10)}.`);
  if (certificate.checkHost(domain, { subject: 'never' }) === undefined)
    return err(
      `It is not for ${domain}, the domain by which sellers know us: it is for ${facts.names === '' ? 'no name' : facts.names}.`,
    );
  return ok(facts);
}

/** What the first certificate of a stored chain says. */
export function certificateFacts(pem: string): ClientCertificateFacts | undefined {
  const certificate = certificateIn(pem);
  return certificate === undefined ? undefined : factsOf(certificate);
}

function factsOf({ subject, issuer, subjectAltName = '', validTo }: X509Certificate): ClientCertificateFacts {
  const shown = (text: string): string => text.replaceAll('\n', ', ').slice(0, mostText);
  return {
    subject: shown(subject),
    issuer: shown(issuer),
    names: shown(subjectAltName.replaceAll('DNS:', '')),
    endsAt: Date.parse(validTo),
  };
}

function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem.slice(pem.indexOf(begin)));
  } catch {
    return undefined;
  }
}

function keyIn(pem: string): ReturnType<typeof createPrivateKey> | undefined {
  const [block] =
    /-----BEGIN (?:EC |RSA )?PRIVATE KEY-----[\s\S]+?-----END (?:EC |RSA )?PRIVATE KEY-----/.exec(pem) ?? [];
  if (block === undefined) return undefined;
  try {
    return createPrivateKey(block);
  } catch {
    return undefined;
  }
}
