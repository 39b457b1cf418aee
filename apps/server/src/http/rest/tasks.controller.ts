import { Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DOORS, type HttpContext } from '../http-context.js';
import { answerTask } from './answer-task.js';

/** `POST /v1/tasks/{task}`: every task of the table, as JSON or as a stream. */
@Controller('v1/tasks')
export class TasksController {
  constructor(@Inject(DOORS) private readonly doors: HttpContext) {}

  @Post(':task')
  post(
    @Param('task') task: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return answerTask(task, request, reply, this.doors);
  }
}
