import type { Deployment, DeploymentTarget } from './deployment.js';
import type { RequestExtras } from '../../message/request-extras.js';
import type { TaskError } from '../../errors/task-error.js';

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
