import { isJsonObject, type JsonObject, type JsonValue, type Secret } from '@switchyard/values';

const opening = '[webhook-secret:';

/** What stands in the stored arguments of a leg where its seller is to read the shared secret of its webhooks. */
export function webhookSecretPlace(credentialId: string): string {
  return `${opening}${credentialId}]`;
}

/** The credential whose secret the arguments have a place for; nothing where they have none. */
export function wantedWebhookSecret(args: JsonObject): string | undefined {
  for (const name of blocks) {
    const given = credentialsOf(args[name]);
    if (given?.startsWith(opening) === true) return given.slice(opening.length, -1);
  }
  return undefined;
}

/**
 * The arguments as they leave: with the secret in its place. It is put in for one send and never stored, and as the
 * secret of a credential does not change, every send is the same bytes.
 */
export function withWebhookSecret(args: JsonObject, secret: Secret): JsonObject {
  return secret.useText((credentials) =>
    Object.fromEntries(
      Object.entries(args).map(([name, value]) => {
        if (!blocks.includes(name) || credentialsOf(value)?.startsWith(opening) !== true)
          return [name, value];
        const block = value as { readonly authentication: JsonObject } & JsonObject;
        return [name, { ...block, authentication: { ...block.authentication, credentials } }];
      }),
    ),
  );
}

const blocks: readonly string[] = ['push_notification_config', 'reporting_webhook'];

function credentialsOf(block: JsonValue | undefined): string | undefined {
  const authentication = isJsonObject(block) ? block['authentication'] : undefined;
  const credentials = isJsonObject(authentication) ? authentication['credentials'] : undefined;
  return typeof credentials === 'string' ? credentials : undefined;
}
