import type { JsonObject } from '@switchyard/values';

/** A step that matches any member name, for example the name of an asset. */
export const anyMember = '*';

const callback = 'authentication.credentials';
const lists = ['property_list', 'collection_list', 'collection_list_exclude'];
const assets = ['assets.*', 'assets.*[]'];

/**
 * Places per task where the protocol has a secret, or a name that looks like one. `[]` is any index. From the published
 * schemas of all forms; the two callback blocks are in the `service` form only.
 */
const placesOf: Readonly<Record<string, readonly string[]>> = {
  get_products: ['property_list.auth_token'],
  create_media_buy: [
    `reporting_webhook.${callback}`,
    `artifact_webhook.${callback}`,
    ...ofPackages('packages[]'),
  ],
  update_media_buy: [
    `reporting_webhook.${callback}`,
    ...['push_notification_config', 'reporting_webhook'].map((block) => `updates.${block}.${callback}`),
    ...ofPackages('packages[]'),
    ...ofPackages('new_packages[]'),
    ...ofPackages('updates.packages[]'),
  ],
  sync_creatives: ofCreatives('creatives[]'),
  sync_accounts: [`accounts[].notification_configs[].${callback}`],
};

/** Returns the exceptions of a task, by its canonical name. Every task may have a callback for its progress. */
export function credentialPlaces(taskName: string): readonly string[] {
  const own = Object.hasOwn(placesOf, taskName) ? (placesOf[taskName] ?? []) : [];
  return [`push_notification_config.${callback}`, ...own];
}

/**
 * Arguments in which a request names its caller. The credential identifies the caller; brand and operator, which a
 * seller can verify, identify whom it acts for. Any other name could be forged (docs/protocol/signing.md).
 */
const asserted =
  /^(buyer|buying|caller|calling|client|principal|originator|originating|requesting)_agent(_ur[il])?$/;

/** True for an argument that only asserts who the caller is. It is ignored here and sent to no seller. */
export function isSelfAssertion(name: string): boolean {
  return asserted.test(name);
}

/** Returns the name of the first such argument of a task. */
export function selfAssertionIn(args: JsonObject): string | undefined {
  return Object.keys(args).find(isSelfAssertion);
}

/** A package may contain lists that have their own read key, and creatives whose assets name headers. */
function ofPackages(at: string): readonly string[] {
  return [
    ...lists.map((list) => `${at}.targeting_overlay.${list}.auth_token`),
    ...ofCreatives(`${at}.creatives[]`),
  ];
}

function ofCreatives(at: string): readonly string[] {
  return assets.flatMap((asset) => [
    // The seller's last known state of a permission, and the name of a header: neither is a secret.
    `${at}.${asset}.reference_authorization`,
    `${at}.${asset}.security.api_key_header`,
  ]);
}
