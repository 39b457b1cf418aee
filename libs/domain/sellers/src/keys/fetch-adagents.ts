import { ok, type JsonObject, type Result } from '@switchyard/values';
import { adagentsCaps, readPublisherFile, type FileFailure } from '../candidates/read-publisher-file.js';
import type { Egress } from '../egress-port.js';
import { authoritativeLocation } from './read-adagents.js';

/** `absent`: the publisher has no such document. `unavailable`: its current content is unknown. */
export type AdagentsFailure = FileFailure;

interface FetchedAdagents {
  readonly document: JsonObject;
  /** Milliseconds for which the publisher allows caching; undefined if it sets no limit. */
  readonly maxAgeMs?: number;
}

/**
 * Fetches a publisher's adagents.json from its own domain, over at most three redirects within its site. If the
 * document names an authoritative location, returns that document; there no redirect is followed.
 */
export async function fetchAdagents(
  egress: Egress,
  publisher: string,
): Promise<Result<FetchedAdagents, AdagentsFailure>> {
  const start = `https://${publisher}/.well-known/adagents.json`;
  const { outcome } = await readPublisherFile(egress, start, adagentsCaps, authoritativeLocation);
  return outcome.ok ? ok(outcome.value) : outcome;
}
