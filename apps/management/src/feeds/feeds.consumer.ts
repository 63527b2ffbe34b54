import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { beginFeedRun } from './begin-feed-run.js';
import { storeFeedRows } from './store-feed-rows.js';

export const feedsAnswers = ({ change }: ResourceAnswers): Answers => ({
  beginFeedRun: change(beginFeedRun),
  storeFeedRows: change(storeFeedRows),
});
