import { previewMediaBuy } from '@switchyard/buys';
import { createMediaBuy as spec, credentialInArgs, readWireProfile } from '@switchyard/protocol';
import { err, isJsonObject } from '@switchyard/values';
import { NumbersRead } from '../../platform/tasks/answer/numbers-read.js';
import { accountsAt } from '../../platform/tasks/gates/resolve-account.js';
import { hiddenSellers } from '../../platform/tasks/gates/find-client.js';
import { rateError, rateKeyOf } from '../../platform/caller/rate-limits.js';
import type { HandlerDeps } from '../../platform/tasks/call/handler.js';
import { mutationOf } from '../../platform/tasks/operation/mutation.js';
import type { PreviewBuy, TaskCall } from '../../platform/tasks/call/task-call.js';
import { admit, notAnObject, permissionFault } from '../../platform/tasks/task-service.js';
import { sellersIn } from './create-media-buy.js';

/** The dry run of `create_media_buy`: the same steps as the task up to its handler. It counts as a read. */
export function createBuyPreview(
  deps: HandlerDeps,
  spending: Pick<Parameters<typeof previewMediaBuy>[0], 'standings' | 'sellersThatAsk'>,
): PreviewBuy {
  return async (requested) => {
    // Every request to a seller has its own deadline.
    const { signal } = new AbortController();
    const call: TaskCall = { ...requested, signal, endpoint: 'rest', task: spec.name };
    const wait = deps.rates?.take(rateKeyOf(call.caller), 'read');
    if (wait !== undefined) return err([rateError(wait)]);
    const forbidden = await permissionFault(deps, call.caller, spec);
    if (forbidden !== undefined) return err([forbidden]);
    const credential = credentialInArgs(spec.name, call.args);
    if (credential !== undefined) return err([credential]);
    if (!isJsonObject(call.args)) return err([notAnObject]);
    const args = deps.testController?.withLocalNames(call.caller, call.args) ?? call.args;
    const version = readWireProfile({ taskName: spec.name, args });
    if (!version.ok) return version;
    const numbers = new NumbersRead(call.exact);
    const read = spec.readRequest(args, version.value.profile, numbers);
    if (!read.ok) return read;
    const altered = numbers.faults();
    if (altered.length > 0) return err(altered);
    const admitted = await admit(deps, { call, spec, version: version.value, args, request: read.value });
    if (Array.isArray(admitted)) return err(admitted);
    const handled = { ...admitted, request: read.value };
    const hidden = await hiddenSellers(deps, handled, sellersIn(read.value));
    if (hidden.length > 0) return err(hidden);
    const ports = {
      ...deps.ports,
      creatives: deps.creatives,
      accountsAt: accountsAt(deps, handled),
      ...spending,
    };
    return previewMediaBuy(ports, mutationOf(deps, handled));
  };
}
