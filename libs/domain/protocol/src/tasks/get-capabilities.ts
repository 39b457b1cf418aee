import type { Capabilities, GetCapabilitiesRequest } from '../model.js';
import type { TaskSpec } from '../task-spec.js';

const notYet = (): never => {
  throw new Error('not written yet');
};

export const getCapabilities: TaskSpec<GetCapabilitiesRequest, Capabilities> = {
  name: 'get_ads_capabilities',
  names: { ads: ['get_ads_capabilities'], adcp: ['get_adcp_capabilities'] },
  access: 'public',
  kind: 'read',
  area: 'products',
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
