import type { DeliveryReport, GetMediaBuyDeliveryRequest } from '../model.js';
import type { TaskSpec } from '../task-spec.js';

const notYet = (): never => {
  throw new Error('not written yet');
};

export const getMediaBuyDelivery: TaskSpec<GetMediaBuyDeliveryRequest, DeliveryReport> = {
  name: 'get_media_buy_delivery',
  names: { ads: ['get_media_buy_delivery'], adcp: ['get_media_buy_delivery'] },
  access: 'credentials',
  kind: 'read',
  area: 'reports',
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
