import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import type { Deliverer } from '../deliver/deliverer.js';
import type { ReplaySteps } from '../replay/replay-steps.js';
import type { DeliveryHandlers } from './deliveries.handlers.js';

interface DeliveriesParts {
  readonly handlers: DeliveryHandlers;
  readonly steps: ReplaySteps;
  readonly deliverer: Pick<Deliverer, 'wake'>;
}

export function deliveriesAnswers(
  { command, query }: ResourceAnswers,
  { handlers, steps, deliverer }: DeliveriesParts,
): Answers {
  /** Something may have been queued. */
  const waking =
    <Asked extends readonly unknown[], Reply>(answer: (...asked: Asked) => Promise<Reply>) =>
    async (...asked: Asked): Promise<Reply> => {
      const reply = await answer(...asked);
      deliverer.wake();
      return reply;
    };
  return {
    listDeliveries: query(handlers.list),
    readDelivery: query(handlers.read),
    listEventDeliveries: query(handlers.listOfEvents),
    planReplay: query(handlers.planReplay),
    replayDelivery: waking(command(handlers.replay)),
    testWorkflow: waking(command(handlers.test)),
    runReplayStep: waking((step) => steps.handle(step)),
  };
}
