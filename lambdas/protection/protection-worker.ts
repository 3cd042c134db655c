import { answerJobs } from '../platform/concurrency/job-thread.ts';
import { protectTexts } from './protect-texts.ts';

answerJobs(protectTexts);
