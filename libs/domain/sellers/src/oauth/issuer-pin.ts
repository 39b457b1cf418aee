import { err, ok, type Result } from '@switchyard/values';
import { siteOfUrl } from '../candidates/find-input.js';
import { failed, hostOf, type OAuthFault } from './fetch-document.js';

/** Why an issuer is trusted with a seller's sign-in. */
export type PinReason = 'same_site' | 'person';

export interface IssuerPin {
  readonly issuer: string;
  readonly why: PinReason;
}

/**
 * The issuer that may be asked for a seller's token: the one that was pinned before, the one that a person names, or one
 * on the agent's own site. The seller's metadata alone never decides, and no second issuer replaces the first by itself.
 */
export function pinIssuer(
  agentUrl: string,
  issuers: readonly string[],
  { pinned, named }: { readonly pinned?: IssuerPin | undefined; readonly named?: string | undefined },
): Result<IssuerPin, OAuthFault> {
  const hosts = issuers.map(hostOf).join(', ');
  if (named !== undefined)
    return issuers.includes(named)
      ? ok(named === pinned?.issuer ? pinned : { issuer: named, why: 'person' })
      : err(
          failed('issuer_not_offered', `The seller does not name the issuer ${hostOf(named)}, but ${hosts}.`),
        );
  if (pinned !== undefined)
    return issuers.includes(pinned.issuer)
      ? ok(pinned)
      : err({
          state: 'needs_person',
          code: 'issuer_changed',
          words: `Its sign-in was at ${hostOf(pinned.issuer)}, and it names ${hosts} now.`,
        });
  const own = issuers.find((issuer) => siteOfUrl(issuer) === siteOfUrl(agentUrl));
  return own === undefined
    ? err({
        state: 'needs_person',
        code: 'issuer_unpinned',
        words: `It wants its tokens from ${hosts}, which is not on its own site.`,
      })
    : ok({ issuer: own, why: 'same_site' });
}
