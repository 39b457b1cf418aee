import type { RequestExtras } from '../../message/request-extras.js';

export interface GetTaskRequest extends RequestExtras {
  readonly taskId: string;
  readonly includeResult: boolean;
  readonly includeHistory?: boolean;
}
