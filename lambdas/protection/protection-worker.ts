import { answerJobs } from '../platform/job-thread.ts';
import { protectTexts } from './protect-texts.ts';

answerJobs(protectTexts);
