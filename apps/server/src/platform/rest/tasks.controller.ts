import { Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_CONTEXT, type HttpContext } from '../http/http-context.js';
import { answerTask } from './answer-task.js';

/** `POST /v1/tasks/{task}`: every task of the table, as JSON or as a stream. */
@Controller('v1/tasks')
export class TasksController {
  constructor(@Inject(HTTP_CONTEXT) private readonly http: HttpContext) {}

  @Post(':task')
  post(
    @Param('task') task: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerTask(task, request, reply, this.http);
  }
}
