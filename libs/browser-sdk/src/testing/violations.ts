import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Elements that pass are not gathered: that is most of axe's time. */
const VIOLATIONS_ONLY = { resultTypes: ['violations' as const] };

/** Rules of WCAG 2.2 AA that what the SDK shows breaks, each with the first element that breaks it. */
export async function violations(page: Page): Promise<readonly unknown[]> {
  const axe = new AxeBuilder({ page }).include('truetally-surface').options(VIOLATIONS_ONLY).withTags(WCAG);
  const result = await axe.setLegacyMode().analyze();
  return result.violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
}
