import { defined, err, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { projectError } from '../errors/project-errors.js';
import { readErrors } from '../errors/read-errors.js';
import type { TaskSpec } from '../task-spec.js';
import { unusable } from '../message/answer.js';
import { addressFaults, deliveryFaults } from '../entities/delivery/delivery-faults.js';
import {
  projectDeployment,
  projectTarget,
  readDeployment,
  readTarget,
  type Deployment,
  type DeploymentTarget,
} from '../entities/signal/deployment.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { is3x, withExt } from '../message/form.js';
import { inputSchemaOf, deploymentTargetShape, extras, idText, readShape } from '../message/shapes.js';
import { listAt, textAt } from '../message/pick.js';
import { notCarried } from '../losses/lost-members.js';
import { keyFaults, required } from '../message/require.js';
import type { RequestExtras } from '../message/request-extras.js';
import type { TaskError } from '../errors/task-fault.js';

const targets = z.array(deploymentTargetShape).min(1).max(200);

const shape = z.looseObject({
  ...extras,
  signal_agent_segment_id: idText.describe('From get_signals.'),
  deployments: targets.optional(),
  destinations: targets.optional(),
  action: z.enum(['activate', 'deactivate']).optional(),
  pricing_option_id: idText.optional(),
});

export const activateSignal: TaskSpec<ActivateSignalRequest, ActivateSignalAnswer> = {
  name: 'activate_signal',
  names: { ads: ['activate_signal'], adcp: ['activate_signal'] },
  access: 'credentials',
  kind: 'mutation',
  area: 'signals',
  permission: 'write',
  serves: 'signals',
  deadlineMs: 60_000,
  mayBeAsync: true,
  inputSchema: inputSchemaOf(shape),

  readRequest(args, profile) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const member = is3x(profile.form) ? 'destinations' : 'deployments';
    const listed = listAt(args, 'destinations') ?? listAt(args, 'deployments');
    const errors = [...keyFaults(args, profile.form), ...deliveryFaults(args), ...addressFaults(args)];
    if (listed === undefined)
      errors.push(required(member, 'Name the deployments where the signal should be live.'));
    if (errors.length > 0) return err(errors);
    return ok({
      ...readExtras(args),
      segmentId: checked.value.signal_agent_segment_id,
      destinations: (listed ?? []).map(readTarget).filter((target) => target !== undefined),
      ...defined({
        pricingOptionId: textAt(args, 'pricing_option_id'),
        action: checked.value.action,
      }),
    });
  },

  projectRequest(request, to) {
    const destinations = request.destinations.map(projectTarget);
    const isModern = is3x(to.form);
    const modern = { pricing_option_id: request.pricingOptionId, action: request.action };
    const args = {
      ...projectExtras(request, to, 'mutation'),
      signal_agent_segment_id: request.segmentId,
      ...(isModern ? { destinations, ...defined(modern) } : { deployments: destinations }),
    } as JsonObject;
    // The older forms always activate, so only the other action is lost there.
    const lost = [
      ...(request.pricingOptionId === undefined ? [] : ['pricing_option_id']),
      ...(request.action === 'deactivate' ? ['action'] : []),
    ];
    return { args, findings: isModern ? [] : lost.map(notCarried) };
  },

  readAnswer(payload) {
    const listed = listAt(payload, 'deployments');
    if (listed === undefined) return unusable('it has no list named deployments');
    const deployments = listed.map(readDeployment).filter((deployment) => deployment !== undefined);
    const lost = listed.length - deployments.length;
    const setAside =
      lost === 0 ? [] : [{ code: 'DEPLOYMENT_SET_ASIDE', message: `${lost} deployments name no target` }];
    return ok({ answer: { deployments, warnings: readErrors(payload) }, setAside });
  },

  projectAnswer(answer, to) {
    const members: JsonObject = { deployments: answer.deployments.map(projectDeployment) };
    if (answer.warnings.length === 0) return members;
    const warnings = answer.warnings.map((warning) => projectError(warning, to.dialect, to.form));
    // Schema forms allow either deployments or errors: there, warnings are written to our extension.
    return to.form === 'service'
      ? { ...members, errors: warnings }
      : { ...members, ...withExt(members, { warnings }) };
  },
};

export interface ActivateSignalRequest extends RequestExtras {
  readonly segmentId: string;
  readonly destinations: readonly DeploymentTarget[];
  readonly pricingOptionId?: string;
  /** Absent means `activate`, the only action of the older forms. */
  readonly action?: 'activate' | 'deactivate';
}

export interface ActivateSignalAnswer {
  readonly deployments: readonly Deployment[];
  /** Warnings beside a success (docs/protocol/requests-and-versions.md#status-words). */
  readonly warnings: readonly TaskError[];
}
