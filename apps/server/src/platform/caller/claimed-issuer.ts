import { decodeJwt } from 'jose';

/** The issuer that a token names, before anything of it is verified. Undefined if it is no JWT. */
export function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}
