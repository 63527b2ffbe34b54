import type { Options, SdkError } from '../types.js';
import { MemoryStorage } from './memory-storage.js';
import { SimulatedPage, SimulatedService } from './simulated-page.js';

export const OPTIONS: Options = { siteId: 'site', endpoint: 'https://api.example/api/v1' };
export const HOUR_MS = 3_600_000;

/** A page of a shop, whose client is started. */
export function open(
  service = new SimulatedService(),
  storage: MemoryStorage | undefined = new MemoryStorage(),
  options: Partial<Options> = {},
): { page: SimulatedPage; service: SimulatedService; errors: SdkError[] } {
  const page = new SimulatedPage(service, storage);
  const errors: SdkError[] = [];
  page.client.init({ ...OPTIONS, ...options, onError: (error) => errors.push(error) });
  return { page, service, errors };
}

export const view = { product_id: 'SKU-1' };
