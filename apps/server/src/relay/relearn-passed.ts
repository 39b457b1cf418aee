import { Buffer } from 'node:buffer';
import { isOutdated } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { ReadBody } from './forward-sealed.js';
import type { PassedReply } from './read-passed.js';
import type { RelayDeps } from './relay-deps.js';

/** Whether an answer may say that our version of the seller is outdated: only such an answer is read for it. */
export function mayBeOutdated({ whole }: Pick<ReadBody, 'whole'>): boolean {
  return whole !== undefined && outdated.some((code) => whole.includes(code));
}

const outdated = ['VERSION_UNSUPPORTED', 'UNSUPPORTED_FEATURE'].map((code) => Buffer.from(code));

/**
 * Reads a seller's capabilities again if it refused sealed bytes for their version. The brand gets the refusal
 * unchanged and may sign again; later requests use the new capabilities. Nobody waits for it.
 */
export function relearnPassed(
  { relearn, onUnexpected }: Pick<RelayDeps, 'relearn' | 'onUnexpected'>,
  connection: Connection,
  reported: PassedReply | 'nothing' | undefined,
): void {
  if (reported === undefined || reported === 'nothing' || !isOutdated(reported.reply)) return;
  const scope = { organizationId: connection.organizationId };
  relearn(scope, connection).catch((error: unknown) => {
    onUnexpected(error, `a look at the seller ${connection.slug} after a sealed request`);
  });
}
