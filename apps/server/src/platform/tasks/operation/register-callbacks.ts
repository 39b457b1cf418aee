import type { BuyerRegistration } from '@switchyard/events';
import { taskError, type TaskError, type WireProfile } from '@switchyard/protocol';
import { err, ok, type Result } from '@switchyard/values';
import type { HandlerDeps } from '../call/handler.js';
import type { CallbackRequest } from './read-callbacks.js';

interface CallbackOwner {
  readonly organizationId: string;
  readonly principalId: string;
  readonly operationId: string;
  /** Set for a request that buys: the subject of its `reporting_webhook`. */
  readonly mediaBuyId?: string;
  readonly profile: WireProfile;
}

/**
 * Stores a buyer's callback addresses for an operation. Tokens and legacy secrets are sealed first; if that fails,
 * nothing is stored and no seller is called, because the buyer would wait in vain.
 */
export async function registerCallbacks(
  deps: Pick<HandlerDeps, 'ports' | 'sealCallback'>,
  owner: CallbackOwner,
  callbacks: readonly CallbackRequest[],
): Promise<Result<readonly BuyerRegistration[], readonly TaskError[]>> {
  const { organizationId, mediaBuyId, profile } = owner;
  const createdAt = deps.ports.clock.now();
  const registrations: BuyerRegistration[] = [];
  for (const callback of callbacks) {
    const { channel, envelope, mode, url, secrets } = callback;
    // The check of callbacks refuses both.
    if (url === undefined || mode === 'unknown') throw new Error(`${callback.field} was not judged.`);
    if (channel === 'report' && mediaBuyId === undefined) continue;
    const isSecret = Object.keys(secrets).length > 0;
    const credentialId = isSecret ? await deps.sealCallback({ organizationId }, secrets, url) : undefined;
    if (isSecret && credentialId === undefined)
      return err([
        taskError('SERVICE_UNAVAILABLE', 'The secret of the webhook cannot be sealed at the moment.'),
      ]);
    registrations.push({
      id: deps.ports.ids.uuid(),
      organizationId,
      principalId: owner.principalId,
      operationId: owner.operationId,
      channel,
      envelope,
      mode,
      url,
      profile,
      createdAt,
      ...(mediaBuyId === undefined || callback.isOfTaskAlone === true ? {} : { mediaBuyId }),
      ...(callback.buyerOperationId === undefined ? {} : { buyerOperationId: callback.buyerOperationId }),
      ...(callback.contextId === undefined ? {} : { contextId: callback.contextId }),
      ...(callback.frequency === undefined ? {} : { frequency: callback.frequency }),
      ...(credentialId === undefined ? {} : { credentialId }),
    });
  }
  return ok(registrations);
}
