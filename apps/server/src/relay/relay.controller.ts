import { Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_CONTEXT, type HttpContext } from '../platform/http/http-context.js';
import { tokenOf } from '../platform/token.js';
import type { Relay } from './relay.js';
import { answerRelay } from './answer-relay.js';

/** Nest's token of the relay. */
export const RELAY = tokenOf<Relay>('relay');

/** `POST /relay/{seller}/mcp` and `/relay/{seller}/a2a`: forwards what a brand signed for the seller, byte for byte. */
@Controller('relay')
export class RelayController {
  constructor(
    @Inject(HTTP_CONTEXT) readonly http: HttpContext,
    @Inject(RELAY) readonly relay: Relay,
  ) {}

  @Post(':seller/mcp')
  mcp(
    @Param('seller') seller: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerRelay({ seller, protocol: 'mcp' }, request, reply, this);
  }

  @Post(':seller/a2a')
  a2a(
    @Param('seller') seller: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerRelay({ seller, protocol: 'a2a' }, request, reply, this);
  }
}
