import { Module } from '@nestjs/common';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { approvalRoutes } from './approvals.routes.js';
import { campaignAdviceRoutes } from './campaign-advice.routes.js';
import { campaignPauseRoutes } from './campaign-pause.routes.js';
import { buyRoutes } from './buys.routes.js';

export const buys = capabilityOf('buys', {
  approvals: approvalRoutes,
  buys: buyRoutes,
  advice: campaignAdviceRoutes,
  pause: campaignPauseRoutes,
});

@Module({ controllers: [...buys.controllers] })
export class BuysModule {}
