import { Module } from '@nestjs/common';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { keyRoutes } from './keys.routes.js';

export const keys = capabilityOf('keys', {
  keys: keyRoutes,
});

@Module({ controllers: [...keys.controllers] })
export class KeysModule {}
