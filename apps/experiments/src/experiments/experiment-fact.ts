import type { ExperimentResource } from '@truetally/contracts/experiments';
import { TOPICS } from '@truetally/contracts/topics';
import type { OutgoingFact } from '@truetally/persistence';
import { experimentRecord } from '../domain/experiment.js';

/** The fact with the current state of an experiment. */
export function experimentFact(experiment: ExperimentResource): OutgoingFact {
  return {
    topic: TOPICS.experiments.name,
    key: experiment.id,
    value: JSON.stringify(experimentRecord(experiment)),
    headers: { 'content-type': 'application/json', 'fact-id': `${experiment.id}:${experiment.version}` },
  };
}

/** The fact that deletes an experiment. */
export function experimentTombstone(experimentId: string): OutgoingFact {
  return { topic: TOPICS.experiments.name, key: experimentId, value: null };
}
