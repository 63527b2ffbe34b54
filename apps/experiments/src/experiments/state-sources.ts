import { TOPICS } from '@truetally/contracts/topics';
import { UUID } from '@truetally/kernel';
import type { StateSource } from '@truetally/service';
import { holdExperiments, withoutExperiment } from '../storage/experiment-states.js';
import { experimentFact, experimentTombstone } from './experiment-fact.js';

/** The compacted topic that this service owns, from its table. */
export const SOURCES = {
  experiments: {
    topic: TOPICS.experiments.name,
    rowsPerChunk: 500,
    reusesKeys: false,
    read: async (client, afterId, limit) => {
      const experiments = await holdExperiments(client, afterId, limit);
      const lastId = experiments.length < limit ? undefined : experiments.at(-1)?.id;
      return { items: experiments.map(experimentFact), lastId };
    },
    tombstones: async (client, keys) => {
      const gone = await withoutExperiment(
        client,
        keys.filter((key) => UUID.test(key)),
      );
      return gone.map(experimentTombstone);
    },
  },
} as const satisfies Record<string, StateSource>;
