import type { BuysPorts } from '@switchyard/buys';

/** A notice as an error for the log, with its cause, so that the log explains why work was abandoned. */
export function logError({ code, message, cause }: Parameters<BuysPorts['notice']>[0]): Error {
  return new Error(`${code}: ${message}`, cause === undefined ? {} : { cause });
}
