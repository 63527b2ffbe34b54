import type { IntakeAllowance, IntakeHour, SiteIntake, SiteResource } from '@truetally/node';
import { exampleOfFix } from '../domain/example-of-fix.js';
import { reasonSums, type ReasonSum, statusSums } from '../domain/intake-sums.js';
import { BarChart } from '../charts/bar-chart.js';
import { type Column, DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';
import { Notice } from '../elements/problem.js';
import { ToFirstEvent } from '../layout/next-step.js';
import { Known } from '../layout/screen.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useRead } from '../layout/use-read.js';

export function HealthScreen() {
  return <SiteScreen title="Health">{(site) => <Health site={site} />}</SiteScreen>;
}

function Health({ site }: { readonly site: SiteResource }) {
  const intake = useRead<SiteIntake>(`/sites/${site.id}/intake`);
  return (
    <Known query={intake}>{(data) => <Shown key={data.as_of} intake={data} zone={site.timezone} />}</Known>
  );
}

function Shown({ intake, zone }: { readonly intake: SiteIntake; readonly zone: string }) {
  const reasons = reasonSums(intake.hours);
  const statuses = statusSums(intake.hours);
  return (
    <>
      <dl className={style['facts']}>
        <dt>As of</dt>
        <dd>
          <Instant at={intake.as_of} zone={zone} />
        </dd>
        <dt>Last event stored</dt>
        <dd>
          {intake.last_event_at === null ? (
            <>
              none yet
              <ToFirstEvent />
            </>
          ) : (
            <Instant at={intake.last_event_at} zone={zone} />
          )}
        </dd>
        <dt>Last refusal</dt>
        <dd>
          {intake.last_refused_at === null ? 'none' : <Instant at={intake.last_refused_at} zone={zone} />}
        </dd>
      </dl>
      <h2>Hour by hour (UTC)</h2>
      <p>Each item that came in is stored, a duplicate or failed: the three sum to what was received.</p>
      <BarChart
        name="Received per hour (UTC)."
        one="item"
        bars={intake.hours.map(({ start, received }) => ({ label: hourOf(start).slice(5), value: received }))}
      />
      <DataTable
        name="hours"
        items={intake.hours.toReversed()}
        columns={HOURS}
        keyOf={({ start }) => start}
      />
      <h2>Why items failed</h2>
      {reasons.length === 0 ? (
        <Notice>
          <p>No item failed in these hours.</p>
        </Notice>
      ) : (
        <DataTable name="reasons" items={reasons} columns={REASONS} keyOf={({ name }) => name} />
      )}
      <h2>Requests refused whole</h2>
      {statuses.length === 0 ? (
        <Notice>
          <p>No request was refused in these hours.</p>
        </Notice>
      ) : (
        <DataTable
          name="statuses"
          items={statuses}
          columns={STATUSES}
          keyOf={({ status }) => String(status)}
        />
      )}
      <h2>Left of this hour’s allowances</h2>
      <DataTable
        name="allowances"
        items={intake.allowances}
        columns={allowancesFor(zone)}
        keyOf={({ kind, key_id: id }) => `${kind} ${id ?? ''}`}
      />
    </>
  );
}

const count = (value: number): string => value.toLocaleString('en');

function hourOf(start: string): string {
  return start.slice(0, 16).replace('T', ' ');
}

const HOURS: readonly Column<IntakeHour>[] = [
  {
    title: 'Hour (UTC)',
    cell: ({ start }) => <time dateTime={start}>{hourOf(start)}</time>,
  },
  { title: 'Received', isNumber: true, cell: ({ received }) => count(received) },
  { title: 'Stored', isNumber: true, cell: ({ stored }) => count(stored) },
  { title: 'Duplicates', isNumber: true, cell: ({ deduplicated }) => count(deduplicated) },
  { title: 'Failed', isNumber: true, cell: ({ failed }) => count(failed) },
  {
    title: 'Sum',
    cell: ({ stored, deduplicated, failed, balanced }) =>
      `${count(stored + deduplicated + failed)} ${balanced ? '✓ is what was received' : '✗ is not what was received'}`,
  },
];

const REASONS: readonly Column<ReasonSum>[] = [
  { title: 'Code', cell: ({ code }) => <code className={style['unbroken']}>{code}</code> },
  { title: 'Field', cell: ({ field }) => (field === null ? 'none' : <code>{field}</code>) },
  { title: 'Items', isNumber: true, cell: (reason) => count(reason.count) },
  {
    title: 'What helps',
    cell: ({ field }) => <Help field={field} />,
  },
];

function Help({ field }: { readonly field: string | null }) {
  if (field === null) return 'The answer to the item says what is wrong.';
  const example = exampleOfFix(field);
  return (
    <>
      {example !== undefined && (
        <>
          For example <code>{example}</code>.{' '}
        </>
      )}
      Where is my event shows the rule of <code>{field}</code> for each refused item, by its request.
    </>
  );
}

interface StatusSum {
  readonly status: number;
  readonly count: number;
}

/** What a merchant can do about a request that was refused whole. */
const HELP: Readonly<Record<number, string>> = {
  400: 'The body is no batch or event: its envelope breaks a rule.',
  401: 'The key is unknown, expired or revoked, or the page’s origin is not one of the site’s.',
  403: 'The key has not the scope that the route needs.',
  413: 'The body is too large: send fewer events at once.',
  415: 'The body must be JSON.',
  429: 'The hour’s allowance is used up: it begins anew at the time below.',
};

const STATUSES: readonly Column<StatusSum>[] = [
  { title: 'Status', cell: ({ status }) => <code>{status}</code> },
  { title: 'Requests', isNumber: true, cell: (refused) => count(refused.count) },
  { title: 'What helps', cell: ({ status }) => HELP[status] ?? 'The answer says what is wrong.' },
];

const KINDS = { api_key: 'API key', runtime: 'Pages of the shop', workspace: 'Members' } as const;

function allowancesFor(zone: string): readonly Column<IntakeAllowance>[] {
  return [
    {
      title: 'Whose',
      cell: ({ kind, prefix }) => (
        <>
          {KINDS[kind]} {prefix !== null && <code>{prefix}</code>}
        </>
      ),
    },
    { title: 'Limit', isNumber: true, cell: ({ limit }) => count(limit) },
    { title: 'Used', isNumber: true, cell: ({ used }) => count(used) },
    { title: 'Left', isNumber: true, cell: ({ remaining }) => count(remaining) },
    { title: `Begins anew (${zone})`, cell: ({ resets_at: at }) => <Instant at={at} zone={zone} /> },
  ];
}
