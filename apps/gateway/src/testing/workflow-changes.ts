import { eventually } from '@truetally/testing';
import type { Merchant } from './merchant.js';

/** The expected entry of a change. */
export interface Said {
  readonly resource: string;
  readonly action: string;
  readonly id: string;
  /** Null: the platform. Default: the owner. */
  readonly actor?: string | null;
}

/** Makes each change of workflows and their deliveries with a valid request, by its route. */
export function workflowChanges(
  member: () => Merchant,
  siteId: () => string,
): Readonly<Record<string, () => Promise<Said>>> {
  const made = async (path: string, body: object): Promise<string> => {
    const { status, text, body: answer } = await member().post<{ id: string }>(path, body);
    if (answer.data === undefined) throw new Error(`POST ${path}: ${status} ${text}`);
    return answer.data.id;
  };
  const create = (): Promise<string> =>
    made('workflows', {
      site_id: siteId(),
      name: 'CRM',
      trigger: { event_types: ['purchase'] },
      action: { type: 'webhook', url: 'https://crm.invalid/hook' },
    });
  const after = (action: string, act: (path: string) => Promise<unknown>) => async (): Promise<Said> => {
    const id = await create();
    await act(`workflows/${id}`);
    return { resource: 'workflow', action, id };
  };
  const range = { from: '2026-01-01', to: '2026-02-01' };
  return {
    'POST /api/v1/workflows': after('create', () => Promise.resolve()),
    'PATCH /api/v1/workflows/:id': after('update', (path) => member().patch(path, { name: 'Renamed' })),
    'DELETE /api/v1/workflows/:id': after('delete', (path) => member().delete(path)),
    'POST /api/v1/workflows/:id/test': after('test', (path) => member().post(`${path}/test`, {})),
    'POST /api/v1/workflows/:id/deliveries/replay': after('replay', (path) =>
      member().post(`${path}/deliveries/replay`, range),
    ),
    'POST /api/v1/workflows/:id/deliveries/:delivery_id/replay': async () => {
      const workflow = `workflows/${await create()}`;
      const id = await made(`${workflow}/test`, {});
      // While an attempt is under way it is refused.
      const replay = `${workflow}/deliveries/${id}/replay`;
      await eventually(async () => (await member().post(replay, null)).status === 200);
      return { resource: 'delivery', action: 'replay', id };
    },
  };
}
