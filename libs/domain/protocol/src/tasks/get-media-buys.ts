import type { GetMediaBuysAnswer, GetMediaBuysRequest } from '../model.js';
import type { TaskSpec } from '../task-spec.js';

const notYet = (): never => {
  throw new Error('not written yet');
};

export const getMediaBuys: TaskSpec<GetMediaBuysRequest, GetMediaBuysAnswer> = {
  name: 'get_media_buys',
  names: { ads: ['get_media_buys'], adcp: ['get_media_buys'] },
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
