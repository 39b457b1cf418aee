import {
  activateSignal as task,
  splitId,
  taskError,
  taskNameAt,
  type ActivateSignalRequest,
  type TaskError,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import type { Mutation } from './caller.js';
import { canMakeKeys, draftLeg } from './draft-leg.js';
import { claim, execute, type Mutated } from './mutate.js';
import type { BuysPorts } from './ports.js';

/** Activates a signal at the one agent that its id names. */
export async function activateSignal(
  ports: BuysPorts,
  mutation: Mutation<ActivateSignalRequest>,
): Promise<Result<Mutated, readonly TaskError[]>> {
  const claimed = await claim(ports, task.name, mutation);
  if (!claimed.ok) return claimed;
  if (claimed.value.kind === 'replay') return ok({ state: claimed.value.state, replayed: true });
  const { operation } = claimed.value;

  const id = splitId(mutation.request.segmentId);
  const all = await ports.connections.list(mutation.scope);
  const connection = id.ok ? all.find((candidate) => candidate.slug === id.value.slug) : undefined;
  if (!id.ok || connection?.state !== 'live' || !connection.kinds.includes('signals')) {
    return err([
      taskError('SIGNAL_NOT_FOUND', 'No signals agent of yours offers this signal.', {
        field: 'signal_agent_segment_id',
        suggestion: 'Use the id as get_signals returned it, with the name of its agent in front.',
      }),
    ]);
  }
  const refused = mutation.request.action === 'deactivate' ? cannotTakeBack(connection) : undefined;
  if (refused !== undefined) return err([refused]);
  const secrets = await ports.lease(mutation.scope, [connection], {
    operationId: operation.id,
    purpose: task.name,
  });
  if (!secrets.ok || !canMakeKeys(secrets.value, [connection]))
    return err([taskError('SERVICE_UNAVAILABLE', 'The credential of this agent cannot be used now.')]);
  const voice = { dialect: connection.dialect, form: connection.form };
  const { leg, registrations } = draftLeg(
    ports,
    operation,
    connection,
    secrets.value.get(connection.id),
    (extras) => {
      const { reportingWebhook: _forBuysOnly, ...own } = extras;
      const { governanceContext: _forOneSellerOnly, contextId: _ours, ...request } = mutation.request;
      const account = connection.account === undefined ? {} : { account: connection.account };
      return task.projectRequest({ ...request, ...own, ...account, segmentId: id.value.id }, voice);
    },
  );
  const draft = {
    operation,
    legs: [leg],
    registrations: registrations.filter(({ kind }) => kind !== 'report'),
    sellerBuys: [],
    packages: [],
  };
  return execute(ports, mutation, draft, secrets.value, [connection]);
}

/**
 * A seller whose form or tool has no word for taking a signal back would hear the same request as one to activate it:
 * it is told nothing at all.
 */
function cannotTakeBack({ slug, form, dialect, tools }: Connection): TaskError | undefined {
  const named = tools?.[taskNameAt(task, dialect, tools)] ?? [];
  const isHeard = (form === '3.0' || form === '3.1') && (named.length === 0 || named.includes('action'));
  if (isHeard) return undefined;
  return taskError('UNSUPPORTED_FEATURE', `The agent ${slug} cannot take a signal back.`, {
    field: 'action',
    suggestion: 'Ask this agent outside the protocol to end the activation.',
    details: { seller: slug },
  });
}
