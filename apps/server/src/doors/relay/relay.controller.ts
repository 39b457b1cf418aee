import { Controller, Delete, Get, Inject, Param, Patch, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refusal, sendAnswer } from '../door-answer.js';
import { DOORS, type DoorsContext } from '../doors-context.js';
import { answerRelay } from './answer-relay.js';

const onlyPost = refusal(
  { code: 'METHOD_NOT_ALLOWED', message: 'Sealed requests are posted here: POST only.' },
  { allow: 'POST' },
);

/** `POST /relay/{seller}/mcp` and `/relay/{seller}/a2a`: what a brand signed for the seller goes on byte for byte. */
@Controller('relay')
export class RelayController {
  constructor(@Inject(DOORS) private readonly doors: DoorsContext) {}

  @Post(':seller/mcp')
  mcp(
    @Param('seller') seller: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerRelay({ seller, protocol: 'mcp' }, request, reply, this.doors);
  }

  @Post(':seller/a2a')
  a2a(
    @Param('seller') seller: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerRelay({ seller, protocol: 'a2a' }, request, reply, this.doors);
  }

  /** No stream of its own and no session to end: both are between the relay and the seller. */
  @Get(':seller/:protocol')
  get(@Res() reply: FastifyReply): void {
    sendAnswer(reply, onlyPost);
  }

  @Put(':seller/:protocol')
  put(@Res() reply: FastifyReply): void {
    sendAnswer(reply, onlyPost);
  }

  @Patch(':seller/:protocol')
  patch(@Res() reply: FastifyReply): void {
    sendAnswer(reply, onlyPost);
  }

  @Delete(':seller/:protocol')
  remove(@Res() reply: FastifyReply): void {
    sendAnswer(reply, onlyPost);
  }
}
