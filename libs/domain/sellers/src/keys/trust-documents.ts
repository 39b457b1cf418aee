import type { Instant, JsonValue } from '@switchyard/values';

/** The last valid version of a public document, in the form that the reader needs. */
interface TrustDocument {
  readonly content: JsonValue;
  readonly fetchedAt: Instant;
}

/**
 * Stores documents whose loss must not be mistaken for their absence: lists of revoked keys and publishers' pins. The
 * port that `adapters/store` implements; it rejects if the database cannot be reached.
 */
export interface TrustDocuments {
  read(url: string): Promise<TrustDocument | undefined>;
  write(url: string, document: TrustDocument): Promise<void>;
}

/** Keeps documents in memory, for tests and for verifiers without a store. */
export function memoryTrustDocuments(): TrustDocuments {
  const stored = new Map<string, TrustDocument>();
  return {
    read: (url) => Promise.resolve(stored.get(url)),
    write: (url, document) => {
      stored.set(url, document);
      return Promise.resolve();
    },
  };
}
