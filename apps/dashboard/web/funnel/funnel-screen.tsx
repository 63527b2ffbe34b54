import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Funnel, FunnelPart, SiteResource } from '@truetally/node';
import { FunnelChart, percent } from '../charts/funnel-chart.js';
import { EVENT_TYPES, type EventType, wordsOf } from '../domain/event-types.js';
import {
  BREAKDOWNS,
  MAX_STEPS,
  MIN_STEPS,
  stepsOf,
  USUAL_MINUTES,
  USUAL_STEPS,
} from '../domain/funnel-search.js';
import { dayOf } from '../domain/site-days.js';
import { ActionButton } from '../elements/action-button.js';
import { type Column, DataTable } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Options } from '../elements/options.js';
import { Covered } from '../layout/covered.js';
import { Filters } from '../layout/filters.js';
import { RangePicker } from '../layout/range-picker.js';
import { Known } from '../layout/screen.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useDays } from '../layout/use-days.js';
import { useRead } from '../layout/use-read.js';

export function FunnelScreen() {
  return <SiteScreen title="Funnel">{(site) => <Report site={site} />}</SiteScreen>;
}

function Report({ site }: { readonly site: SiteResource }) {
  const { days } = useDays();
  const { steps: asked, minutes = USUAL_MINUTES, breakdown } = useSearch({ from: '/w/$workspaceId/funnel' });
  const steps = stepsOf(asked) ?? USUAL_STEPS;
  const funnel = useRead<Funnel>('/analytics/funnel', {
    site_id: site.id,
    ...days,
    steps: steps.join(','),
    window_minutes: minutes,
    breakdown,
  });
  return (
    <>
      <RangePicker />
      <Steps steps={steps} />
      <Filters values={{ minutes: String(minutes), breakdown }}>
        <Field label="Minutes from the first step to each other">
          <input name="minutes" type="number" min={1} max={43_200} defaultValue={minutes} required />
        </Field>
        <Field label="Broken down by">
          <select name="breakdown" defaultValue={breakdown ?? ''}>
            <Options of={BREAKDOWNS} none="nothing" />
          </select>
        </Field>
      </Filters>
      <Known query={funnel}>
        {(answer) => (
          <>
            <Covered days={days} answer={answer} />
            <FunnelChart
              name="Sessions by step."
              steps={answer.steps.map(({ event_type: type, sessions, share }, index) => ({
                key: `${index} ${type}`,
                label: wordsOf(type),
                sessions,
                share,
              }))}
            />
            {answer.breakdown !== null && <Breakdown funnel={answer} parts={answer.breakdown} />}
          </>
        )}
      </Known>
    </>
  );
}

/** Each change is an address of its own, so that Back undoes it. */
function Steps({ steps }: { readonly steps: readonly EventType[] }) {
  const navigate = useNavigate();
  const show = (chosen: readonly EventType[]): void =>
    void navigate({ to: '.', search: (search: object) => ({ ...search, steps: chosen.join(',') }) });
  const replace = (index: number, name: string): void => {
    const type = EVENT_TYPES.find((one) => one === name);
    if (type !== undefined) show(steps.map((step, place) => (place === index ? type : step)));
  };
  return (
    <fieldset className={style['group']}>
      <legend>Steps, in their order within a session</legend>
      {steps.map((step, index) => (
        // By its place: with its type it would be another one after each key, and the focus gone.
        <Field key={index} label={`Step ${index + 1}`}>
          <select value={step} onChange={({ target }) => replace(index, target.value)}>
            <Options of={EVENT_TYPES} words={wordsOf} />
          </select>
        </Field>
      ))}
      <div className={style['actions']}>
        <ActionButton isReady={steps.length < MAX_STEPS} onClick={() => show([...steps, 'purchase'])}>
          Add a step
        </ActionButton>
        <ActionButton isReady={steps.length > MIN_STEPS} onClick={() => show(steps.slice(0, -1))}>
          Remove the last step
        </ActionButton>
      </div>
    </fieldset>
  );
}

function Breakdown({ funnel, parts }: { readonly funnel: Funnel; readonly parts: readonly FunnelPart[] }) {
  const { breakdown = 'day' } = useSearch({ from: '/w/$workspaceId/funnel' });
  const nameOf = (value: string | null): string => {
    if (value === null) return 'not known';
    return breakdown === 'day' ? dayOf(value, funnel.timezone) : value;
  };
  const columns: readonly Column<FunnelPart>[] = [
    {
      title: breakdown === 'day' ? `Day (${funnel.timezone})` : wordsOf(breakdown),
      cell: ({ value }) => nameOf(value),
    },
    ...funnel.steps.map(({ event_type: type }, index) => ({
      title: `${index + 1}. ${wordsOf(type)}`,
      isNumber: true,
      cell: ({ steps }: FunnelPart) => {
        const step = steps[index];
        if (step === undefined) return '';
        return `${step.sessions.toLocaleString('en')} (${percent(step.share)})`;
      },
    })),
  ];
  return (
    <>
      <h2>By {breakdown}</h2>
      <DataTable name="parts" items={parts} columns={columns} keyOf={({ value }) => String(value)} />
    </>
  );
}
