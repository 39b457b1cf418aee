import type { GetSignalsAnswer, GetSignalsRequest } from '../model.js';
import type { TaskSpec } from '../task-spec.js';

const notYet = (): never => {
  throw new Error('not written yet');
};

export const getSignals: TaskSpec<GetSignalsRequest, GetSignalsAnswer> = {
  name: 'get_signals',
  names: { ads: ['get_signals'], adcp: ['get_signals'] },
  access: 'credentials',
  kind: 'read',
  area: 'signals',
  permission: 'read',
  serves: 'signals',
  deadlineMs: 60000,
  mayBeAsync: true,
  inputSchema: notYet,
  readRequest: notYet,
  projectRequest: notYet,
  readAnswer: notYet,
  projectAnswer: notYet,
};
