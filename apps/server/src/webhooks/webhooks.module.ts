import { Module } from '@nestjs/common';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { eventRoutes } from './in/events.routes.js';
import { outgoingRoutes } from './out/outgoing.routes.js';

export const webhooks = capabilityOf('webhooks', {
  events: eventRoutes,
  outgoing: outgoingRoutes,
});

@Module({ controllers: [...webhooks.controllers] })
export class WebhooksModule {}
