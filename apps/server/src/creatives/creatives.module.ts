import { Module } from '@nestjs/common';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { CreativeFilesController } from './creative-files.controller.js';
import { creativeFileRoutes } from './creative-files.routes.js';

export const creatives = capabilityOf('creatives', { creativeFiles: creativeFileRoutes });

@Module({ controllers: [...creatives.controllers, CreativeFilesController] })
export class CreativesModule {}
