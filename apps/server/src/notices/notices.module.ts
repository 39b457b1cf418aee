import { Module } from '@nestjs/common';
import type { NoticeConnector } from '@switchyard/events';
import { endpointRepository, noticeRepository } from '@switchyard/store';
import type { Kernel } from '../platform/kernel.js';
import type { SendNoticesDeps } from './send-notices.js';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { endpointRoutes } from './endpoints.routes.js';
import { noticeRoutes } from './notices.routes.js';

export const notices = capabilityOf('notices', {
  endpoints: endpointRoutes,
  notices: noticeRoutes,
});

@Module({ controllers: [...notices.controllers] })
export class NoticesModule {}

interface MadeFrom extends Pick<SendNoticesDeps, 'mailOfSignIn'> {
  /** Absent without a mail server. */
  readonly mail: SendNoticesDeps['mail'] | undefined;
  /** Places that packages outside of the product have brought. */
  readonly noticeConnectors: readonly NoticeConnector[];
}

/** What tells people and systems. */
export function makeNotices(kernel: Kernel, { mail, ...from }: MadeFrom): SendNoticesDeps {
  return {
    ...{ ...kernel, ...from, baseUrl: kernel.url, random: Math.random },
    notices: noticeRepository(kernel.store),
    endpoints: endpointRepository(kernel.store),
    onAttempt: (attempt) => kernel.metrics.notices.inc(attempt),
    ...(mail !== undefined && { mail }),
  };
}
