import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DOORS, type HttpContext } from '../http-context.js';
import { answerBrand, answerKeySet } from './published-keys.js';

/** Publishes our identity and the keys that verify our signatures. */
@Controller('.well-known')
export class PublishedKeysController {
  constructor(@Inject(DOORS) private readonly doors: HttpContext) {}

  @Get('brand.json')
  brand(@Res() reply: FastifyReply): void {
    answerBrand(reply, this.doors);
  }

  @Get('jwks.json')
  keySet(@Res() reply: FastifyReply): Promise<void> {
    return answerKeySet(reply, this.doors);
  }
}
