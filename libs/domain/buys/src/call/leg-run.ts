import type { Connection, PrincipalSigner } from '@switchyard/sellers';
import type { LegSecrets } from '../model/ports.js';
import type { Refreezes } from './reencode.js';

export interface LegRun extends LegSecrets {
  readonly connection: Connection;
  /** Signer of the principal that made the request. */
  readonly signer?: PrincipalSigner;
  /** Functions that encode legs again; only in the process that planned them. */
  readonly again?: Refreezes;
  readonly signal: AbortSignal;
}

/** Timeout of one send in milliseconds. */
export const sendTimeoutMs = 30_000;
