import { findDeadLetter, type Messaging, replayDeadLetter as writeBack } from '@truetally/messaging';
import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { pageOfDeadLetters } from '../storage/dead-letter.store.js';
import { discardDeadLetter, type Graveyard, replayDeadLetter } from './handle-dead-letter.js';

export function deadLettersAnswers({ command, query }: ResourceAnswers, messaging: Messaging): Answers {
  const graveyard: Graveyard = {
    find: (buried) => findDeadLetter(messaging, buried),
    replay: (found) => writeBack(messaging, found),
  };
  return {
    listDeadLetters: query(pageOfDeadLetters),
    replayDeadLetter: (asked, context) =>
      command(replayDeadLetter(graveyard, context.requestId))(asked, context),
    discardDeadLetter: (asked, context) => command(discardDeadLetter(context.requestId))(asked, context),
  };
}
