import type { CommandWork, ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import type { SiteCopies } from '../learn-surroundings/site-copies.js';
import { changeState } from './change-state.js';
import { createExperiment } from './create-experiment.js';
import { deleteExperiment } from './delete-experiment.js';
import { listExperiments } from './list-experiments.js';
import { readExperiment } from './read-experiment.js';
import { setExclusions } from './set-exclusions.js';
import { updateExperiment } from './update-experiment.js';

export function experimentsAnswers({ command, query }: ResourceAnswers, copies: SiteCopies): Answers {
  /** For commands that depend on sites and campaigns. */
  const informed =
    (work: CommandWork): ReturnType<typeof command> =>
    async (asked, context) =>
      (await copies.caughtUp(asked)) ?? command(work)(asked, context);
  return {
    createExperiment: informed(createExperiment),
    listExperiments: query(listExperiments),
    readExperiment: query(readExperiment),
    updateExperiment: informed(updateExperiment),
    deleteExperiment: command(deleteExperiment),
    startExperiment: informed(changeState('start')),
    pauseExperiment: command(changeState('pause')),
    resumeExperiment: command(changeState('resume')),
    stopExperiment: command(changeState('stop')),
    setExclusions: command(setExclusions),
  };
}
