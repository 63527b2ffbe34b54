import { CAMPAIGN_TYPES, type CampaignType } from './campaign-record.js';
import { recordCodec } from './record-codec.js';

const STATES = ['draft', 'running', 'paused', 'stopped'] as const;

/** The value of `experiments.v1`, key `experiment_id`; a null value means that the experiment is deleted. */
export interface ExperimentRecord {
  readonly experiment_id: string;
  readonly site_id: string;
  readonly workspace_id: string;
  /** Its arms withhold campaigns only while it runs. */
  readonly state: (typeof STATES)[number];
  readonly surface: CampaignType;
  readonly campaign_ids: readonly string[];
  readonly version: number;
}

/** Writes and reads the value of `experiments.v1`. */
export const EXPERIMENT_RECORD = recordCodec((reader): ExperimentRecord => ({
  experiment_id: reader.text('experiment_id'),
  site_id: reader.text('site_id'),
  workspace_id: reader.text('workspace_id'),
  state: reader.oneOf('state', STATES) ?? 'stopped',
  surface: reader.oneOf('surface', CAMPAIGN_TYPES) ?? 'overlay',
  campaign_ids: reader.texts('campaign_ids'),
  version: reader.integer('version'),
}));
