import { servingTask } from '@switchyard/protocol';
import type { EventLog, Metrics } from '@switchyard/telemetry';
import type { TaskService } from './call/task-call.js';

/** An answer that takes longer is logged, in milliseconds. */
const slowMs = 2_000;

/** Wraps the service and counts its answers and the results of each seller. Unknown tasks share one label. */
export function countTasks(
  service: TaskService,
  metrics: Pick<Metrics, 'operations' | 'fanoutLegs'>,
  log?: EventLog,
): TaskService {
  return {
    call: async (call) => {
      const task = servingTask(call.task)?.name ?? 'unknown';
      try {
        const reply = await service.call({
          ...call,
          onSeller: (row, settled, total) => {
            metrics.fanoutLegs.inc({ task, status: row.status });
            if (row.status !== 'answered' || row.elapsed_ms > slowMs)
              log?.('leg', {
                organization: call.caller.organizationId,
                task,
                seller: row.seller,
                status: row.status,
                duration_ms: row.elapsed_ms,
              });
            call.onSeller?.(row, settled, total);
          },
        });
        metrics.operations.inc({ task, status: reply.status });
        return reply;
      } catch (error) {
        metrics.operations.inc({ task, status: 'thrown' });
        throw error;
      }
    },
  };
}
