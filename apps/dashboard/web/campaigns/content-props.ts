import type { UseFormReturn } from 'react-hook-form';
import type { CampaignForm } from '../domain/campaign-form.js';

export interface ContentProps {
  readonly form: UseFormReturn<CampaignForm>;
  /** What is wrong with a field, by the path that the service names. */
  readonly errorOf: (path: string) => string | undefined;
}
