import { Link, useSearch } from '@tanstack/react-router';
import type { PublisherReport, SiteResource } from '@truetally/node';
import { INTERVALS } from '../domain/publisher-rows.js';
import { Field } from '../elements/field.js';
import { Notice } from '../elements/problem.js';
import { Options } from '../elements/options.js';
import { Filters } from '../layout/filters.js';
import { RangePicker } from '../layout/range-picker.js';
import { SaveAsCsv } from '../layout/save-as-csv.js';
import { Known } from '../layout/screen.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useDays } from '../layout/use-days.js';
import { useRead } from '../layout/use-read.js';
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
            <SaveAsCsv
              what="the series"
              file={`publisher-${days.from}-${days.to}.csv`}
              path="/analytics/publishers.csv"
              query={query}
            />
          </>
        )}
      </Known>
      <ReferenceSearch site={site} />
    </>
  );
}
