import type { Queryable, ResourceAnswers } from '@truetally/resource';
import { type Answers, ReadTurns, whileAvailable } from '@truetally/service';
import type { Deliverer } from '../deliver/deliverer.js';
import type { ReplaySteps } from '../replay/replay-steps.js';
import type { DeliveryHandlers } from './deliveries.handlers.js';

interface DeliveriesParts {
  readonly pool: Queryable;
  readonly handlers: DeliveryHandlers;
  readonly steps: ReplaySteps;
  readonly deliverer: Pick<Deliverer, 'wake'>;
}

const PLANS_AT_ONCE = 2;

export function deliveriesAnswers(
  { command, query }: ResourceAnswers,
  { pool, handlers, steps, deliverer }: DeliveriesParts,
): Answers {
  /** Something may have been queued. */
  const waking =
    <Asked extends readonly unknown[], Reply>(answer: (...asked: Asked) => Promise<Reply>) =>
    async (...asked: Asked): Promise<Reply> => {
      const reply = await answer(...asked);
      deliverer.wake();
      return reply;
    };
  const plans = new ReadTurns(PLANS_AT_ONCE, 1);
  return {
    listDeliveries: query(handlers.list),
    readDelivery: query(handlers.read),
    listEventDeliveries: query(handlers.listOfEvents),
    // It counts up to millions: no caller of the shared reader waits for it, and storing keeps the other connections.
    planReplay: plans.taken((asked) => whileAvailable(() => handlers.planReplay(pool, asked))),
    replayDelivery: waking(command(handlers.replay)),
    testWorkflow: waking(command(handlers.test)),
    runReplayStep: waking((step) => steps.handle(step)),
  };
}
