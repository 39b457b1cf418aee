import { findTask } from '@switchyard/protocol';
import type { Metrics } from '@switchyard/telemetry';
import type { TaskService } from './call/task-call.js';

/** Wraps the service and counts its answers and the results of each seller. Unknown tasks share one label. */
export function countTasks(
  service: TaskService,
  metrics: Pick<Metrics, 'operations' | 'fanoutLegs' | 'legSeconds'>,
): TaskService {
  return {
    call: async (call) => {
      const task = findTask(call.task)?.name ?? 'unknown';
      try {
        const reply = await service.call({
          ...call,
          onSeller: (row, settled, total) => {
            metrics.fanoutLegs.inc({ task, status: row.status });
            if (row.status !== 'skipped') metrics.legSeconds.observe({ task }, row.elapsed_ms / 1_000);
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
