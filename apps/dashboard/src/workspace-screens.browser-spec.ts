import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SiteResource } from '@truetally/node';
import { eventually, request } from '@truetally/testing';
import type { Locator, Page } from 'playwright-core';
import { checkScreen, type OpenedPages, quiet, refuse } from './testing/opened-pages.js';
import { Shop } from './testing/shop.js';
import { OWNER, shopScreens } from './testing/shop-screens.js';

const WAIT = { timeoutMs: 240_000 };
const SHORT_LIFE_MS = 60_000;

const screens = shopScreens();
const { visit } = screens;
let shop: Shop;
let pages: OpenedPages;
let page: Page;

beforeAll(() => {
  ({ shop, pages } = screens);
});

beforeEach(() => {
  ({ page } = screens);
});

const isWrong = (field: Locator) => async (): Promise<boolean> =>
  (await field.getAttribute('aria-invalid')) === 'true';
const rowOf = (table: string, name: string): Locator =>
  page.getByRole('region', { name: table }).getByRole('row').filter({ hasText: name });

describe('settings of a site in a browser', () => {
  it('settings are shown with their meaning, refused at their fields, saved, and not written over those of somebody else', async () => {
    await visit('sites');
    await page.getByRole('link', { name: 'Shop of the screens' }).click();
    await page.getByText('an order keeps the model under which it was sealed').waitFor();
    const days = page.getByLabel('Days in which a touch counts');
    await days.fill('a month');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually(isWrong(days), WAIT);
    await checkScreen(page, 'Settings of a site');
    await days.fill('30');
    await page.getByLabel('Allowed origins').fill('https://shop.example\nhttps://www.shop.example');
    // A form in progress survives what a renewal may need: leaving for the issuer.
    await page.reload();
    await page.getByText('It is not saved yet.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByText('It is not saved yet.').waitFor({ state: 'detached' });
    const path = `sites/${shop.site.id}`;
    expect(await shop.ask<SiteResource>(path, undefined)).toMatchObject({
      allowed_origins: ['https://shop.example', 'https://www.shop.example'],
      partner: { lookback_days: 30, attribution_model: 'linear' },
    });

    await shop.ask(path, { name: 'Of another member' }, 'PATCH');
    await page.getByLabel('Publisher mode').selectOption('active');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const differences = page.getByRole('region', { name: 'differences' });
    await differences.getByRole('row', { name: /^Name .+ Of another member$/ }).waitFor();
    await page.getByRole('button', { name: 'Take theirs' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Of another member');
    await page.getByLabel('Publisher mode').selectOption('active');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Publisher' }).click();
    await page.getByText('Publisher mode is off').waitFor({ state: 'detached' });
    expect(pages.complaints.filter((text) => !/ (?:400|409) /.test(text))).toEqual([]);
  });

  it('a form that comes back filled in says so, and begins anew when it is discarded', async () => {
    await visit(`sites/${shop.site.id}`);
    const name = page.getByLabel('Name', { exact: true });
    const stored = await name.inputValue();
    await name.fill('Half a name');
    await page.reload();
    expect(await name.inputValue()).toBe('Half a name');
    await page.getByRole('button', { name: 'Discard it' }).click();
    expect(await name.inputValue()).toBe(stored);
    await page.reload();
    await name.waitFor();
    expect(await name.inputValue()).toBe(stored);
    expect(await page.getByText('It is not saved yet.').count()).toBe(0);
  });

  it('a site is deleted when its name was typed', async () => {
    const { id } = await shop.ask<SiteResource>('sites', {
      name: 'Shop that closes',
      domain: 'closes.example',
      allowed_origins: ['https://closes.example'],
    });
    await visit(`sites/${id}`);
    await page.getByRole('button', { name: 'Delete this site' }).click();
    await page.getByLabel('Type Shop that closes to delete it').fill('Shop that closes');
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor();
    await rowOf('sites', 'Shop that closes').waitFor({ state: 'detached' });
  });
});

describe('keys in a browser', () => {
  it('a key says what is used of its hour, counts down the overlap of its rotation, and is marked when it has ended', async () => {
    await shop.ask(`sites/${shop.site.id}/api-keys`, {
      name: 'short-lived',
      scopes: ['events:write'],
      expires_at: new Date(Date.now() + SHORT_LIFE_MS).toISOString(),
    });
    await screens.spendPage();
    await page.clock.install();
    await visit('api-keys');
    await rowOf('keys', 'short-lived').waitFor();
    await page.clock.fastForward(SHORT_LIFE_MS);
    await rowOf('keys', 'short-lived').getByText('expired').waitFor();
    await rowOf('keys', 'short-lived').getByRole('button').first().waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('warehouse');
    await page.getByLabel('record orders').check();
    await page.reload();
    const dialog = page.getByRole('dialog', { name: /^A key for/ });
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('warehouse');
    expect(await dialog.getByLabel('record orders').isChecked()).toBe(true);
    await dialog.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await rowOf('keys', 'warehouse').getByRole('button', { name: 'Rotate warehouse, ' }).click();
    await page.getByLabel('The old one is taken for').selectOption('a day');
    await page.getByRole('button', { name: 'Rotate it' }).click();
    await page.getByText(/^ck_\w{8}_/).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await rowOf('keys', 'warehouse')
      .getByRole('timer')
      .getByText(/^2[23]:\d\d:\d\d$/)
      .waitFor();
    expect(await rowOf('keys', 'warehouse').count()).toBe(2);
    await eventually(async () => {
      // Each look counts one: the hour may turn in between.
      await shop.send([{ type: 'page_view', session: 'counted', at: new Date().toISOString() }]);
      await visit('api-keys');
      const used = rowOf('keys', shop.keyPrefix).getByRole('cell').nth(2);
      await used.waitFor();
      return /^[1-9]\d* of /.test((await used.textContent()) ?? '');
    }, WAIT);
    await checkScreen(page, 'API keys');
    expect(pages.complaints).toEqual([]);
  });

  it('a rule that is being typed comes back with its dialog, and is gone when it was cancelled', async () => {
    await visit('commission-rules');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('Provider').fill('awin');
    await page.getByLabel('Kind').selectOption('fixed');
    await page.getByLabel('Amount').fill('2.50');
    await page.reload();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Provider').inputValue()).toBe('awin');
    expect(await dialog.getByLabel('Amount').inputValue()).toBe('2.50');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Add a rule' }).waitFor();
    expect(await dialog.count()).toBe(0);
  });
});

describe('a page whose requests are refused', () => {
  it('a suspended workspace says so, asks for nothing of it, and is there again when it is active', async () => {
    // Of another owner: as long as one of theirs is suspended, nobody makes a workspace, and other suites do as this one.
    const other = await Shop.open(pages.product, randomUUID());
    const [{ asks }, workspace_id] = [pages.product, other.workspaceId];
    await asks.addMember({ workspace_id, sub: OWNER, role: 'admin' });
    await asks.administerWorkspace({ workspace_id, suspended: true });
    // The list of workspaces and their members' tokens become known at different moments.
    await eventually(async () => {
      await page.goto(`${pages.home}w/${workspace_id}/overview`);
      const heading = page.getByRole('heading', { level: 1 });
      await heading.waitFor();
      return (await heading.innerText()) === 'Suspended';
    }, WAIT);
    await checkScreen(page, 'A suspended workspace');
    expect(await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').count()).toBe(0);
    await asks.administerWorkspace({ workspace_id, suspended: false });
    await eventually(async () => {
      await page.reload();
      await page.getByRole('heading', { level: 1 }).waitFor();
      return (await page.getByRole('heading', { level: 1, name: 'Overview' }).count()) === 1;
    }, WAIT);
  });

  it('a token that is refused again after a new sign-in is a problem that the page shows, and no way in a circle', async () => {
    await refuse(page, '/api/v1/workspaces', 401);
    const callbacks = new Set<string>();
    page.on('framenavigated', (frame) => {
      if (frame.url().includes('/dashboard/callback')) callbacks.add(frame.url());
    });
    await page.goto(`${pages.home}w/${shop.workspaceId}/sites`);
    await eventually(async () => {
      return callbacks.size > 1 && (await page.getByText('Your sign-in is not accepted.').isVisible());
    }, WAIT);
    await page.unroute('**/api/v1/workspaces**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor();
    // One sign-in of the page that was opened, and one because of the refusal.
    expect(callbacks.size).toBe(2);
  });
});

describe('an address of something else in a browser', () => {
  const NONE = '00000000-0000-4000-8000-000000000000';

  it('a site that the workspace does not have is said to be none, and another one is not shown in secret', async () => {
    await pages.visit(page, shop.workspaceId, `events?site=${NONE}`);
    await page.getByText('The address names a site that this workspace does not have').waitFor();
    await visit('events');
    expect(await page.getByText('The address names a site').count()).toBe(0);
  });

  it('a job that is not there is not asked for without an end', async () => {
    let times = 0;
    page.on('response', (answer) => {
      if (answer.url().endsWith(`/jobs/${NONE}`) && answer.request().method() === 'GET') times += 1;
    });
    await screens.spendPage();
    await page.clock.install();
    await visit(`jobs/${NONE}`);
    await eventually(async () => {
      await page.clock.runFor(2_000);
      return times === 5;
    }, WAIT);
    await page.clock.runFor(60_000);
    await page.getByRole('button', { name: 'Try again' }).click();
    await eventually(() => times > 5, WAIT);
    expect(times).toBe(6);
  });
});

describe('members and the audit log in a browser', () => {
  it('a workspace gets another name, which stands above its screens', async () => {
    await visit('members');
    const name = page.getByLabel('Name of the workspace');
    expect(await page.getByRole('button', { name: 'Rename it' }).isDisabled()).toBe(true);
    await name.fill(' ');
    await page.getByRole('button', { name: 'Rename it' }).click();
    await eventually(isWrong(name), WAIT);
    await name.fill('Renamed by its owner');
    await page.getByRole('button', { name: 'Rename it' }).click();
    await page.getByText('Renamed', { exact: true }).waitFor();
    await page.getByRole('banner').getByText('Renamed by its owner').waitFor({ state: 'attached' });
  });

  it('the last owner stays, others are invited, change their role and go, and the log says so in words', async () => {
    await visit('members');
    await page.getByText('the last owner stays').waitFor();
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    await page.getByLabel('E-mail').fill('nobody');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await eventually(isWrong(page.getByLabel('E-mail')), WAIT);
    await page.getByLabel('E-mail').fill('ann@shop.example');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const ann = rowOf('members', 'ann@shop.example');
    await ann.getByText('invited').waitFor();
    const changed = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
    await ann.getByRole('combobox').press('ArrowUp');
    await ann.getByRole('button', { name: 'Give this role' }).click();
    await changed;
    await eventually(async () => {
      await visit('members');
      return (await ann.getByRole('combobox').inputValue()) === 'admin';
    }, WAIT);
    await checkScreen(page, 'Members');
    await ann.getByRole('button', { name: 'Remove ann@shop.example' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await ann.waitFor({ state: 'detached' });

    await visit('audit-log?resource=member');
    const changes = page.getByRole('region', { name: 'changes' });
    await eventually(async () => {
      await visit('audit-log?resource=member');
      return (await changes.getByText('deleted the member').count()) === 1;
    }, WAIT);
    await changes.getByText('changed the member').waitFor();
    expect(await changes.getByText('the site').count()).toBe(0);
    await page.getByLabel('What').fill('site');
    await page.getByRole('button', { name: 'Show' }).click();
    await quiet(page);
    await checkScreen(page, 'Audit log');
    await rowOf('changes', 'added the site').getByRole('link', { name: shop.site.id }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings of a site' }).waitFor();
  });
});

describe('erasing a person in a browser', () => {
  it('the id is typed, the proof has a line per service under an address that stays, and the search says erased', async () => {
    const { key } = await shop.ask<{ readonly key: string }>(`sites/${shop.site.id}/api-keys`, {
      name: 'importer',
      scopes: ['profiles:import'],
    });
    const profiles = [{ user_id: 'lina', email: 'lina@shop.example', name: 'Lina' }];
    const imported = await request(`${pages.product.baseUrl}/profiles/import`, {
      headers: { 'x-api-key': key },
      json: { profiles },
    });
    expect(imported.status).toBe(202);
    const lina = rowOf('profiles', 'lina@shop.example');
    await eventually(async () => {
      await visit('profiles?user_id=lina');
      return (await lina.count()) === 1;
    }, WAIT);
    await checkScreen(page, 'Profiles');
    await lina.getByRole('button', { name: 'Erase lina' }).click();
    const sure = page.getByRole('button', { name: 'Delete it' });
    expect(await sure.isDisabled()).toBe(true);
    await page.getByLabel('Type lina to delete it').fill('lina');
    await sure.click();
    await page.getByRole('heading', { level: 1, name: 'Proof of an erasure' }).waitFor();
    const proof = page.url();
    const services = page.getByRole('region', { name: 'services' });
    await rowOf('services', 'publisher-analytics').getByText('confirmed').waitFor();
    await services.getByText('waiting').first().waitFor({ state: 'detached' });
    await checkScreen(page, 'Proof of an erasure');
    await visit('profiles?user_id=lina');
    await page.getByRole('link', { name: 'the proof' }).click();
    await services.waitFor();
    expect(page.url()).toBe(proof);
    // No id on the page can contain this one: it is not hexadecimal.
    expect(await page.locator('main').innerText()).not.toContain('lina');
    expect(pages.complaints).toEqual([]);
  });
});
