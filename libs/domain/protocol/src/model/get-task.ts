import type { RequestExtras } from './request-extras.js';

export interface GetTaskRequest extends RequestExtras {
  readonly taskId: string;
  readonly includeResult: boolean;
  readonly includeHistory?: boolean;
}
