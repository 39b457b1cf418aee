import type { GetProductsAnswer, GetProductsRequest } from '../model.js';
import type { TaskSpec } from '../task-spec.js';

const notYet = (): never => {
  throw new Error('not written yet');
};

export const getProducts: TaskSpec<GetProductsRequest, GetProductsAnswer> = {
  name: 'get_products',
  names: { ads: ['get_products'], adcp: ['get_products'] },
  access: 'limited',
  kind: 'read',
  area: 'products',
  permission: 'read',
  serves: 'sales',
  deadlineMs: 10000,
  mayBeAsync: true,
  inputSchema: notYet,
  readRequest: notYet,
  projectRequest: notYet,
  readAnswer: notYet,
  projectAnswer: notYet,
};
