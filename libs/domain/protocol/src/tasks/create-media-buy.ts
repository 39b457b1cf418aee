import type { CreateMediaBuyAnswer, CreateMediaBuyRequest } from '../model.js';
import type { TaskSpec } from '../task-spec.js';

const notYet = (): never => {
  throw new Error('not written yet');
};

export const createMediaBuy: TaskSpec<CreateMediaBuyRequest, CreateMediaBuyAnswer> = {
  name: 'create_media_buy',
  names: { ads: ['create_media_buy'], adcp: ['create_media_buy'] },
  access: 'credentials',
  kind: 'mutation',
  area: 'media_buys',
  permission: 'write',
  serves: 'sales',
  deadlineMs: 10000,
  mayBeAsync: true,
  inputSchema: notYet,
  readRequest: notYet,
  projectRequest: notYet,
  readAnswer: notYet,
  projectAnswer: notYet,
};
