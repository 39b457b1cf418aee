import { createHash } from 'node:crypto';
import type { JsonObject } from '@switchyard/values';

/** RFC 7638 thumbprint: equal for the same public key, whatever its kid and other members are. */
export function keyThumbprint(jwk: JsonObject): string {
  const required = Object.fromEntries(
    ['crv', 'e', 'kty', 'n', 'x', 'y'].flatMap((name) =>
      jwk[name] === undefined ? [] : [[name, jwk[name]]],
    ),
  );
  return createHash('sha256').update(JSON.stringify(required)).digest('base64url');
}
