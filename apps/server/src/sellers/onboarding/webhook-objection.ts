import type { Capabilities } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';

/**
 * Why the declared webhooks of a seller keep it from going live: a seller that declares webhooks without proof gets no
 * webhook address, unless an admin has agreed on an older mode (docs/protocol/signing.md#modes-of-webhooks). The text
 * is for that admin.
 */
export function webhookObjection(
  { webhookFault }: Pick<Capabilities, 'webhookFault'>,
  legacyWebhooks: Connection['legacyWebhooks'],
): string | undefined {
  return webhookFault === undefined || legacyWebhooks !== false ? undefined : objections[webhookFault];
}

const mark = 'To get webhooks in an older mode nevertheless, add the seller with --legacy-webhooks.';
const objections: Readonly<Record<NonNullable<Capabilities['webhookFault']>, string>> = {
  unsigned: `The seller declares that it does not sign its webhooks. ${mark}`,
  unknown_algorithm: `The seller declares an algorithm for its webhooks that the profile does not have. ${mark}`,
};
