/** A step that stands for the name of any member: an asset's own name, for example. */
export const anyMember = '*';

const callback = 'authentication.credentials';
const lists = ['property_list', 'collection_list', 'collection_list_exclude'];
const assets = ['assets.*', 'assets.*[]'];

/** A package may name lists that are read with a key of their own, and creatives whose assets name headers. */
function ofPackages(at: string): readonly string[] {
  return [
    ...lists.map((list) => `${at}.targeting_overlay.${list}.auth_token`),
    ...ofCreatives(`${at}.creatives[]`),
  ];
}

function ofCreatives(at: string): readonly string[] {
  return assets.flatMap((asset) => [
    // The state that a seller has seen of a permission, and the name of a header: neither is a secret.
    `${at}.${asset}.reference_authorization`,
    `${at}.${asset}.security.api_key_header`,
  ]);
}

/**
 * Where the protocol itself has a secret, or a name that looks like one: exact places, per task. `[]` is any index.
 * Taken from the published schemas of every form; the two callback blocks are the `service` form's own.
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

/** The exceptions of a task, by its own name; every task takes a callback for its progress. */
export function credentialPlaces(taskName: string): readonly string[] {
  const own = Object.hasOwn(placesOf, taskName) ? (placesOf[taskName] ?? []) : [];
  return [`push_notification_config.${callback}`, ...own];
}
