import type { HandlerDeps } from '../../platform/tasks/call/handler.js';
import type { TaskService } from '../../platform/tasks/call/task-call.js';
import { createTaskService } from '../../platform/tasks/task-service.js';
import { handlerOf } from '../handler-table.js';

/** The task service with the handlers of all capabilities. */
export function taskService(deps: HandlerDeps): TaskService {
  return createTaskService(deps, handlerOf);
}
