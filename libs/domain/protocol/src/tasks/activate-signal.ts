import type { ActivateSignalAnswer, ActivateSignalRequest } from '../model.js';
import type { TaskSpec } from '../task-spec.js';

const notYet = (): never => {
  throw new Error('not written yet');
};

export const activateSignal: TaskSpec<ActivateSignalRequest, ActivateSignalAnswer> = {
  name: 'activate_signal',
  names: { ads: ['activate_signal'], adcp: ['activate_signal'] },
  access: 'credentials',
  kind: 'mutation',
  area: 'signals',
  permission: 'write',
  serves: 'signals',
  deadlineMs: 60000,
  mayBeAsync: true,
  inputSchema: notYet,
  readRequest: notYet,
  projectRequest: notYet,
  readAnswer: notYet,
  projectAnswer: notYet,
};
