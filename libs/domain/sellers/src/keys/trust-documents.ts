import type { Instant, JsonValue } from '@switchyard/values';

/** A public document as it was last read well, in the form that we need of it. */
export interface TrustDocument {
  readonly content: JsonValue;
  readonly fetchedAt: Instant;
}

/**
 * Where documents are kept whose absence must not be mistaken for their never having been: lists of revoked keys and
 * publishers' pins. The port that `adapters/store` implements; it rejects when the database cannot be reached.
 */
export interface TrustDocuments {
  read(url: string): Promise<TrustDocument | undefined>;
  write(url: string, document: TrustDocument): Promise<void>;
}

/** In the memory of one process, for tests and for verifiers without a store. */
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
