import { Module } from '@nestjs/common';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { endpointRoutes } from './endpoints.routes.js';
import { noticeRoutes } from './notices.routes.js';

export const notices = capabilityOf('notices', {
  endpoints: endpointRoutes,
  notices: noticeRoutes,
});

@Module({ controllers: [...notices.controllers] })
export class NoticesModule {}
