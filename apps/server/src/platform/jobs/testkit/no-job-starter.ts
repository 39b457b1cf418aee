import type { JobStarter } from '../start-job.js';

/** For a spec whose requests start no job. */
export const noJobStarter: JobStarter = { start: () => Promise.reject(new Error('no worker runs here')) };
