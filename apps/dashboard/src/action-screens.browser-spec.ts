import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { plainPurchase } from '@truetally/testing-product';
import type { Page } from 'playwright-core';
import {
  checkPaper,
  checkScreen,
  keptBy,
  type OpenedPages,
  quiet,
  untilForgotten,
} from './testing/opened-pages.js';
import type { Shop } from './testing/shop.js';
import { shopScreens } from './testing/shop-screens.js';
import { WebhookPlace } from './testing/webhook-place.js';

const WAIT = { timeoutMs: 240_000 };
/** One word each, wider than a narrow window. */
const WORKFLOW = 'Warenwirtschaftsbenachrichtigung'.repeat(3);
const EXPERIMENT = 'Hilftdasbanner'.repeat(8);
const CAMPAIGN = 'Willkommensbanner'.repeat(6);

const screens = shopScreens();
const { visit } = screens;
let place: WebhookPlace;
let shop: Shop;
let pages: OpenedPages;
let page: Page;

beforeAll(async () => {
  ({ shop, pages } = screens);
  place = await WebhookPlace.open();
});

afterAll(() => place.close());

beforeEach(() => {
  ({ page } = screens);
});

describe('screens of workflows in a browser', () => {
  it('a workflow is made with its secret shown once, a test is delivered, and a delivery is sent again', async () => {
    await visit('workflows');
    await page.getByText('No workflow yet.').waitFor();
    await checkScreen(page, 'Workflows empty');
    await page.getByRole('link', { name: 'Add a workflow' }).click();
    await page.getByLabel('Name', { exact: true }).fill(WORKFLOW);
    await page.getByRole('textbox', { name: 'Address' }).fill('ftp://warehouse.example');
    await page.getByRole('button', { name: 'Add the workflow' }).click();
    await eventually(
      async () =>
        (await page.getByRole('textbox', { name: 'Address' }).getAttribute('aria-invalid')) === 'true',
      WAIT,
    );
    await checkScreen(page, 'New workflow refused');
    await page.getByRole('textbox', { name: 'Address' }).fill(place.url);
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Field 1').fill('currency');
    await page.getByLabel('Rule 1').selectOption('eq');
    await page.getByLabel('Value 1').fill('EUR');
    await page.getByRole('button', { name: 'Add the workflow' }).click();
    const secret = await page.getByText(/^whsec_/).textContent();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: WORKFLOW }).waitFor();
    await untilForgotten(page, String(secret));
    await page.reload();
    await page.getByRole('heading', { name: WORKFLOW }).waitFor();
    expect(await keptBy(page)).not.toContain(secret);

    await page.getByRole('button', { name: 'Send a test' }).dblclick();
    // "Last delivered never" is no longer true where a delivery is seen.
    const delivered = page.getByRole('main').filter({ hasNotText: 'never' });
    const deliveries = delivered.getByRole('region', { name: 'deliveries', exact: true });
    const shows = (text: string): Promise<boolean> =>
      eventually(async () => {
        await page.getByRole('button', { name: 'Look again' }).click();
        await quiet(page);
        return (await deliveries.getByText(text).count()) > 0;
      }, WAIT);
    await shows('delivered');
    await deliveries.getByText('1 attempt, the last: 200').click();
    await deliveries.getByText('thank you').waitFor();
    await checkScreen(page, 'Workflow with a delivery');
    await deliveries.getByRole('button', { name: /^Send again ./ }).click();
    await shows('2 attempts, the last: 200');
    // The row is the same one, and still open.
    await deliveries.getByText('replay', { exact: true }).waitFor();
    await checkScreen(page, 'Workflow after a replay');
    // Its times are those of its own site, whichever is chosen.
    const { id: other } = await shop.ask<{ readonly id: string }>('sites', {
      name: 'Elsewhere',
      domain: 'elsewhere.example',
      allowed_origins: ['https://elsewhere.example'],
      timezone: 'Asia/Kathmandu',
    });
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await pages.visit(page, shop.workspaceId, `workflows/${id}?site=${other}`);
    await page.getByRole('columnheader', { name: 'Created (Europe/Berlin)' }).waitFor();
  });

  it('a range says how many it is before anything is sent, and shows its job', async () => {
    const at = new Date(Date.now() - 60_000).toISOString();
    await shop.convert(plainPurchase({ siteId: shop.site.id, orderId: 'sent-twice', occurredAt: at }));
    await visit('workflows');
    await page.getByRole('link', { name: WORKFLOW }).click();
    await page.getByText('Send all of these days again').click();
    await page.getByLabel('Which').selectOption('delivered');
    const sure = page.getByRole('button', { name: 'Send 1 again' });
    await eventually(async () => {
      await page.getByRole('button', { name: 'Count them' }).click();
      await page.getByText(/^\d+ of .* fit/).waitFor();
      return (await sure.count()) > 0;
    }, WAIT);
    await checkScreen(page, 'Workflow with a counted range');
    await sure.click();
    await page.getByText('1 are sent again.').waitFor();
    await page.getByRole('region', { name: 'Job workflows.replay' }).getByText('completed').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'sent-twice' });
    await eventually(async () => {
      await page.getByRole('button', { name: 'Look again' }).click();
      await quiet(page);
      return (await row.getByText('2 attempts, the last: 200').count()) > 0;
    }, WAIT);
  });

  it('a change that another member was faster with is refused in the words of the answer, and made when it is asked for again', async () => {
    const changeElsewhere = async (): Promise<void> => {
      const path = `workflows/${new URL(page.url()).pathname.split('/').at(-1)}`;
      for (const name of ['Of another member', WORKFLOW]) await shop.ask(path, { name }, 'PATCH');
    };
    await visit('workflows');
    await page.getByRole('link', { name: WORKFLOW }).click();
    await page.getByRole('heading', { name: WORKFLOW }).waitFor();
    await changeElsewhere();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('alert').getByText('is stale: the current version is').waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('because a member disabled it').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    const sure = page.getByRole('button', { name: 'Delete it' });
    expect(await sure.isDisabled()).toBe(true);
    await page.getByLabel(`Type ${WORKFLOW} to delete it`).fill(WORKFLOW);
    await changeElsewhere();
    await sure.click();
    await page.getByRole('dialog').getByText('is stale').waitFor();
    await sure.click();
    await page.getByText('No workflow yet.').waitFor();
  });
});

describe('screens of integrations in a browser', () => {
  it('credentials are never shown, and an upload shows its job, its bad rows and each settlement’s history', async () => {
    await visit('integrations');
    await page.getByText('No integration yet.').waitFor();
    await page.getByRole('button', { name: 'Add an integration' }).click();
    await page.getByLabel('Publisher id').fill('4815');
    await page.getByRole('button', { name: 'Add it' }).click();
    const token = page.getByLabel('API token');
    await eventually(async () => (await token.getAttribute('aria-invalid')) === 'true', WAIT);
    await checkScreen(page, 'New integration refused');
    await token.fill('a-token-of-the-network');
    await page.getByRole('textbox', { name: 'Address' }).fill('https://awin.invalid');
    await page.getByRole('button', { name: 'Add it' }).dblclick();
    await page.getByRole('link', { name: 'Awin' }).click();
    await page.getByText('stored encrypted, never shown').waitFor();
    expect(await keptBy(page)).not.toContain('a-token-of-the-network');

    const upload = async (...rows: string[]): Promise<void> => {
      const buffer = Buffer.from([SETTLEMENT_COLUMNS, ...rows].join('\n'));
      const file = { name: 'settlements.csv', mimeType: 'text/csv', buffer };
      await page.getByLabel('Upload a table').setInputFiles(file);
    };
    const settled = 'T-1,approved,42.50,2.55,EUR,2026-01-31T09:30:00Z';
    await upload(`${settled},2026-02-01T00:00:00Z`, 'T-2,paid,1,1,EUR,yesterday,today');
    await page.getByText('2 of 2 done, 1 failed').waitFor();
    await page.getByRole('region', { name: 'errors' }).getByText('status').first().waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the errors as CSV' }).click();
    const table = await readFile(await (await saving).path(), 'utf8');
    expect(table).toMatch(/^\uFEFFrow,field,message\r\n2,status,/);
    await upload(`${settled.replace('approved', 'reversed')},2026-02-02T00:00:00Z`);
    const settlements = page.getByRole('region', { name: 'settlements', exact: true });
    await settlements.getByText('2 states').click();
    await settlements.getByRole('cell', { name: 'approved', exact: true }).waitFor();
    await checkScreen(page, 'Integration with settlements');
  });
});

const SETTLEMENT_COLUMNS =
  'provider_transaction_id,status,commissionable_amount,commission_amount,currency,transaction_at,updated_at';

describe('screens of experiments in a browser', () => {
  it('an experiment is drafted, started, measured and stopped', async () => {
    await shop.ask('campaigns', {
      site_id: shop.site.id,
      name: CAMPAIGN,
      type: 'overlay',
      status: 'active',
      content: { layout: 'banner', title: 'Welcome' },
    });
    await visit('partner-experiments');
    await page.getByText('No experiment yet.').waitFor();
    await page.getByRole('link', { name: 'Draft an experiment' }).click();
    await page.getByLabel('Name', { exact: true }).fill(EXPERIMENT);
    await page.getByLabel(`${CAMPAIGN} (active)`).check();
    await page.getByLabel('Conversion today').fill('0.1');
    await page.getByLabel('Smallest effect').fill('none');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    const effect = page.getByLabel('Smallest effect');
    await eventually(async () => (await effect.getAttribute('aria-invalid')) === 'true', WAIT);
    expect(await effect.evaluate((element) => element === document.activeElement)).toBe(true);
    await effect.fill('0.2');
    await page.getByRole('button', { name: 'How long will it take?' }).click();
    // As the formula of the results says: 7.848880 × (0.1 × 0.9 + 0.12 × 0.88) / 0.02².
    await page.getByText('3,839 sessions per arm, 7,678 in all').waitFor();
    await checkScreen(page, 'New experiment');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByRole('heading', { name: EXPERIMENT }).waitFor();
    await page.getByLabel('Hypothesis').fill('Visitors of partners buy more often.');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByRole('paragraph').filter({ hasText: 'Visitors of partners buy' }).waitFor();
    await checkScreen(page, 'Experiment draft');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await visitors(id);

    await eventually(async () => {
      await visit(`partner-experiments/${id}`);
      const measures = page.getByRole('region', { name: 'measures' });
      await measures.waitFor();
      return (await measures.innerText()).includes('1 bought');
    }, WAIT);
    await page.getByText('Too few sessions to judge whether the arms are balanced.').waitFor();
    await page.getByText('total incrementality').waitFor();
    await page.getByRole('figure', { name: 'Effect on Conversion (share of sessions).' }).first().waitFor();
    const shown = await page.locator('main').innerText();
    expect(shown).not.toMatch(/winner|significant/i);
    expect(shown).toContain('UTC');
    await checkScreen(page, 'Experiment results');
    await checkPaper(page, 'Shop of the screens, shop.example');

    await page.getByLabel('Most sessions of one network').fill('1');
    await page.getByRole('button', { name: 'Set the rule' }).click();
    await page.getByRole('list', { name: 'Changes of the rule' }).getByText('more than 1').waitFor();
    await eventually(async () => {
      await visit(`partner-experiments/${id}`);
      const left = page.getByText('those of networks with more than 1 sessions');
      return !/ 0 of control, 0 of treatment/.test(await left.innerText());
    }, WAIT);

    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Stop it' }).click();
    await page.getByText('stopped', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    expect(pages.complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });

  it('results with a mismatch warn before any effect', async () => {
    await visit('partner-experiments');
    await page.route('**/results', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { readonly data: { readonly sample_ratio: object } };
      const ratio = {
        ...body.data.sample_ratio,
        state: 'mismatch',
        expected: { control: 500, treatment: 500 },
        observed: { control: 600, treatment: 400 },
        p_value: 2.5e-10,
      };
      return route.fulfill({
        response: answer,
        json: { ...body, data: { ...body.data, sample_ratio: ratio } },
      });
    });
    await page.getByRole('link', { name: EXPERIMENT }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('trust no effect below').waitFor();
    expect(await alert.innerText()).toContain('Expected 500 in control and 500 in treatment');
    const shown = await page.getByRole('region', { name: 'Results' }).innerText();
    expect(shown.indexOf('Both arms')).toBeGreaterThan(shown.indexOf('trust no effect'));
    await checkScreen(page, 'Experiment with a mismatch');
  });
});

/** Six sessions of a partner; the first who is assigned buys. */
async function visitors(experimentId: string): Promise<void> {
  const token = await shop.runtimeToken();
  for (let count = 0; count < 6; count += 1) {
    const session = randomUUID();
    await shop.fromPage(token, 'partner-attribution/touches', {
      touches: [
        {
          schema_version: 1,
          touch_id: session,
          provider: 'awin',
          direction: 'inbound',
          provider_click_id: `click-${session}`,
          landing_path: '/',
          occurred_at: new Date().toISOString(),
          provenance: 'browser_sdk',
          session_id: session,
        },
      ],
    });
    const assigned = await eventually(async () => {
      const answer = await shop.fromPage<{
        readonly assignments: readonly { readonly assignment_id: string }[];
      }>(token, 'partner-experiments/assignments', {
        session_id: session,
        experiment_ids: [experimentId],
      });
      return answer?.assignments.at(0);
    }, WAIT);
    if (count > 0) continue;
    const occurredAt = new Date(Date.now() + 1000).toISOString();
    const order = plainPurchase({ siteId: shop.site.id, orderId: `order-${session}`, occurredAt });
    const { conversion } = order as { readonly conversion: object };
    const named = { ...conversion, experiment_assignment_ids: [assigned.assignment_id] };
    await shop.convert({ ...order, conversion: named });
  }
}
