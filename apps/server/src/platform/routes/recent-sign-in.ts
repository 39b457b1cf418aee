import type { AdminFailure } from '../failure.js';

/**
 * Acts on ways in, grants, limits, keys, sellers' credentials and the policy of sign-in: a session does them while its
 * sign-in is recent, so that a desk that its person has left gives nobody power that lasts. Tokens and programs are no
 * sessions: what they may do was decided when they were given (docs/security/model.md#people-who-sign-in).
 */
const acts = new Set(
  [
    'add_principal add_token rotate_token add_sign_in_link add_identity add_signer add_invitation reset_factors restore_principal',
    'add_grant remove_grant set_role add_team_member set_organization set_sign_in_policy set_sign_in_provider allow_scim add_scim_token erase_person delete_organization',
    'set_limit remove_limit set_rate import_rates',
    'rotate_key rotate_credential revoke_credential edit_seller',
  ]
    .join(' ')
    .split(' '),
);

/** Whether the act of a route, by its id, needs a recent sign-in. */
export const needsRecentSignIn = (routeId: string): boolean => acts.has(routeId);

/** The ids, for the check that each is a route. */
export const actsOfRecentSignIn: readonly string[] = [...acts];

export const notRecent = {
  code: 'RECENT_SIGN_IN_REQUIRED',
  message: 'Your sign-in is not recent enough for this act.',
  suggestion:
    'Show your password, a code or a passkey again (POST /v1/me/show-again), or sign out and in, and then repeat this.',
} as const satisfies AdminFailure;
