import { Module } from '@nestjs/common';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { custodyRoutes } from './custody/custody.routes.js';
import { delegationRoutes } from './delegations/delegations.routes.js';

export const relay = capabilityOf('relay', {
  custody: custodyRoutes,
  delegations: delegationRoutes,
});

@Module({ controllers: [...relay.controllers] })
export class RelayModule {}
