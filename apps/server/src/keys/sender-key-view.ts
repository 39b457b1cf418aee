import type { SenderKey } from '@switchyard/store';
import { isoOf, type JsonObject } from '@switchyard/values';

/** A public key of a sender as an export holds it beside its chain. */
export const senderKeyView = ({ sender, keyid, publicJwk, firstAt }: SenderKey): JsonObject => ({
  sender,
  keyid,
  first_at: isoOf(firstAt),
  jwk: publicJwk,
});
