import type { Connection, Egress, ProbeFailure } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { inspectSeller, unopened, type InspectDeps } from './inspect-seller.js';
import { webhookObjection } from './webhook-objection.js';

const steps = ['address', 'credential', 'transport', 'authentication', 'capabilities', 'webhooks'] as const;
type Step = (typeof steps)[number];

interface TestedStep {
  readonly step: Step;
  readonly result: 'held' | 'failed' | 'not_tried';
  readonly code?: string;
  readonly reason?: string;
}

/**
 * Tests a seller in the order of a call: may its address be called, does our credential open there, does the agent
 * answer in its protocol, does it accept the credential, does it name its products, and can its webhooks be proved.
 * Every step before the first failure passed, and no step after it was tried. Changes nothing.
 */
export async function testSeller(
  deps: InspectDeps & { readonly egress: Pick<Egress, 'checkUrl'> },
  scope: TenantScope,
  connection: Connection,
): Promise<readonly TestedStep[]> {
  const judged = await deps.egress.checkUrl(connection.agentUrl);
  if (!judged.ok) return upTo('address', judged.error);
  const found = await inspectSeller(deps, scope, connection);
  if (!found.ok) return upTo(failedStep(found.error), found.error);
  const objection = webhookObjection(found.value.capabilities, connection.legacyWebhooks);
  if (objection !== undefined) return upTo('webhooks', { code: 'webhooks_unproved', message: objection });
  return steps.map((step) => ({ step, result: 'held' }));
}

/** The failure shows the step: a refused credential was received; before a malformed answer it was accepted. */
function failedStep(failure: ProbeFailure): Step {
  if (failure === unopened) return 'credential';
  if (failure.code === 'unauthorized' || failure.httpStatus === 403) return 'authentication';
  return failure.code === 'not_conformant' || failure.code === 'sells_nothing' ? 'capabilities' : 'transport';
}

function upTo(
  failed: Step,
  { code, message }: { readonly code: string; readonly message: string },
): readonly TestedStep[] {
  const at = steps.indexOf(failed);
  return steps.map((step, index): TestedStep => {
    if (index < at) return { step, result: 'held' };
    return index === at ? { step, result: 'failed', code, reason: message } : { step, result: 'not_tried' };
  });
}
