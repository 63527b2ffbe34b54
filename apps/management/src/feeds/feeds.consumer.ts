import { Controller } from '@nestjs/common';
import type { BeginFeedRun, StoreFeedRows } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { beginFeedRun } from './begin-feed-run.js';
import { storeFeedRows } from './store-feed-rows.js';

/** What the program that reads product feeds asks for: it has no rights to the tables of this one. */
@Controller()
export class FeedsConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.beginFeedRun)
  begin(asked: BeginFeedRun) {
    return this.database.change(asked, beginFeedRun);
  }

  @Handles(OPERATIONS.storeFeedRows)
  store(asked: StoreFeedRows) {
    return this.database.change(asked, storeFeedRows);
  }
}
