import type { BuysPorts } from '@switchyard/buys';

/** A notice as the log takes it: with its cause, so that whoever reads that work was left off reads why as well. */
export function logError({ code, message, cause }: Parameters<BuysPorts['notice']>[0]): Error {
  return new Error(`${code}: ${message}`, cause === undefined ? {} : { cause });
}
