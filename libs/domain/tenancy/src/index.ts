export type { TenantScope } from './scope.js';
