export interface Deployment extends DeploymentTarget {
  readonly isLive: boolean;
  readonly activationKey?: ActivationKey;
  readonly estimatedMinutes?: number;
  readonly deployedAt?: string;
}

export interface DeploymentTarget {
  readonly type: 'platform' | 'agent';
  readonly platform?: string;
  readonly agentUrl?: string;
  readonly account?: string;
}

export type ActivationKey =
  | { readonly type: 'segment_id'; readonly segmentId: string }
  | { readonly type: 'key_value'; readonly key: string; readonly value: string };
