import type { ListCreativeFormatsAnswer, ListCreativeFormatsRequest } from '../model.js';
import type { TaskSpec } from '../task-spec.js';

const notYet = (): never => {
  throw new Error('not written yet');
};

export const listCreativeFormats: TaskSpec<ListCreativeFormatsRequest, ListCreativeFormatsAnswer> = {
  name: 'list_creative_formats',
  names: { ads: ['list_creative_formats'], adcp: ['list_creative_formats'] },
  access: 'public',
  kind: 'read',
  area: 'creatives',
  permission: 'read',
  serves: 'sales',
  deadlineMs: 10000,
  mayBeAsync: false,
  inputSchema: notYet,
  readRequest: notYet,
  projectRequest: notYet,
  readAnswer: notYet,
  projectAnswer: notYet,
};
