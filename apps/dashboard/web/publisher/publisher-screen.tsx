import { useMutation } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { PublisherReport, SiteResource } from '@truetally/node';
import { INTERVALS } from '../domain/publisher-rows.js';
import { ActionButton } from '../elements/action-button.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Notice, Problem } from '../elements/problem.js';
import { saveTable } from '../elements/save-file.js';
import { Options } from '../elements/options.js';
import { Filters } from '../layout/filters.js';
import { RangePicker } from '../layout/range-picker.js';
import { Known } from '../layout/screen.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useDays } from '../layout/use-days.js';
import { useRead } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { PublisherFigures } from './publisher-figures.js';
import { ReferenceSearch } from './reference-search.js';

export function PublisherScreen() {
  return (
    <SiteScreen title="Publisher" roles={['owner']}>
      {(site) =>
        site.publisher_mode === 'off' ? (
          <Notice>
            <p>
              Publisher mode is off for <bdi>{site.name}</bdi>. Turn it on in{' '}
              <Link
                to="/w/$workspaceId/sites/$siteId"
                params={{ workspaceId: site.workspace_id, siteId: site.id }}
                search={{ site: site.id }}
              >
                the site’s settings
              </Link>{' '}
              to count clicks on partners’ links.
            </p>
          </Notice>
        ) : (
          <Report key={site.id} site={site} />
        )
      }
    </SiteScreen>
  );
}

function Report({ site }: { readonly site: SiteResource }) {
  const { days } = useDays();
  const { interval = 'day' } = useSearch({ from: '/w/$workspaceId/publisher' });
  const query = { site_id: site.id, interval, ...days };
  const report = useRead<PublisherReport>('/analytics/publishers', query);
  return (
    <>
      <RangePicker />
      <Filters values={{ interval }}>
        <Field label="By">
          <select name="interval" defaultValue={interval}>
            <Options of={INTERVALS} />
          </select>
        </Field>
      </Filters>
      <Known query={report}>
        {(data) => (
          <>
            <PublisherFigures report={data} days={days} />
            <Csv query={query} name={`publisher-${days.from}-${days.to}.csv`} />
          </>
        )}
      </Known>
      <ReferenceSearch site={site} />
    </>
  );
}

function Csv({ query, name }: { readonly query: Readonly<Record<string, string>>; readonly name: string }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const save = useMutation({
    mutationFn: () =>
      api<Blob>({
        path: '/analytics/publishers.csv',
        query,
        workspaceId: workspace.id,
      }),
    onSuccess: (table) => saveTable(name, table),
  });
  return (
    <>
      {save.error !== null && <Problem error={save.error} />}
      <div className={style['actions']}>
        <ActionButton isBusy={save.isPending} onClick={() => save.mutate()}>
          Save the series as CSV
        </ActionButton>
      </div>
    </>
  );
}
