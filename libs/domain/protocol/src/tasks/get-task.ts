import type { GetTaskRequest, TaskView } from '../model.js';
import type { TaskSpec } from '../task-spec.js';

const notYet = (): never => {
  throw new Error('not written yet');
};

export const getTask: TaskSpec<GetTaskRequest, TaskView> = {
  name: 'get_task',
  names: {
    ads: ['tasks/get', 'get_task_status', 'get_task'],
    adcp: ['tasks/get', 'get_task_status', 'get_task'],
  },
  access: 'credentials',
  kind: 'read',
  area: 'media_buys',
  permission: 'read',
  serves: 'platform',
  deadlineMs: 10000,
  mayBeAsync: false,
  inputSchema: notYet,
  readRequest: notYet,
  projectRequest: notYet,
  readAnswer: notYet,
  projectAnswer: notYet,
};
