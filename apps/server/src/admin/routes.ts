import { accountRoutes, type AccountsDeps } from './accounts.js';
import { alarmRoutes, type AlarmsDeps } from './alarms.js';
import type { CheckedRequest, Route, RouteAnswer } from './route.js';

/** Everything that the routes of administration need: each noun names its own part. */
export interface AdminDeps extends AccountsDeps, AlarmsDeps {}

/** Every route of administration: what is served, what is described in `/openapi.json`, what the specs walk through. */
export const adminRoutes: readonly Route<AdminDeps>[] = [...accountRoutes, ...alarmRoutes];

/** Does what a route is there for. The doors are given this, and know nothing of what the routes work on. */
export type RunRoute = (route: Route<AdminDeps>, request: CheckedRequest) => Promise<RouteAnswer>;
