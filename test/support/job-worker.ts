import { answerJobs } from '../../lambdas/platform/concurrency/job-thread.ts';

/** Worker that doubles numbers; some inputs make it fail, or never end. */
answerJobs((job: number | 'throw' | 'hang' | 'exit') => {
  if (job === 'throw') throw new Error('as was asked');
  if (job === 'exit') process.exit(1);
  if (job === 'hang') for (;;);
  return job * 2;
});
