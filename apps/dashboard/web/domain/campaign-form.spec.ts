import { describe, expect, it } from '@jest/globals';
import { type CampaignFields, fieldsOf, formOf, pathsOf } from './campaign-form.js';

const ZONE = 'America/New_York';
const COMMON = {
  name: 'A',
  status: 'active',
  schedule: { from: '2026-03-01T05:00:00.000Z' },
  targeting: { page_url_contains: ['/cups', 'a, b'], languages: ['de', 'pt-BR'], device_types: ['mobile'] },
} as const;
const QUIZ = {
  quiz_id: 'q',
  questions: [{ question_id: '1', text: 'Size?', answers: [{ answer_id: 'a', text: 'Small, or so' }] }],
  results: [{ result_id: 'r', text: 'A cup' }],
};
const CONTENTS: readonly (readonly ['overlay' | 'recommendation' | 'chatbot', CampaignFields['content']])[] =
  [
    ['overlay', { layout: 'modal', title: 'T', trigger: { type: 'load' } }],
    [
      'overlay',
      {
        layout: 'banner',
        title: '</script>',
        body: ' <img onerror=x>\n',
        cta: { label: 'Go', url: 'https://shop.example/' },
        trigger: { type: 'delay', value: 2.5 },
        frequency_cap_hours: 0,
        quiz: QUIZ,
      },
    ],
    ['recommendation', { strategy: 'popular', placement: 'cart', count: 3 }],
    ['chatbot', { greeting: 'Hello', answers: [] }],
    [
      'chatbot',
      {
        greeting: 'Hello',
        answers: [{ keywords: ['size', 'how large, in centimetres'], text: 'Small, large' }],
        handover: { email: 'help@shop.example' },
      },
    ],
  ];

describe('the form of a campaign', () => {
  it('a campaign that nobody changes is saved as it was', () => {
    for (const [type, content] of CONTENTS) {
      const campaign: CampaignFields = { ...COMMON, content };
      expect(fieldsOf(type, formOf(campaign, ZONE), ZONE)).toEqual(campaign);
      const open: CampaignFields = { ...campaign, schedule: null, targeting: null };
      expect(fieldsOf(type, formOf(open, ZONE), ZONE)).toEqual(open);
    }
  });

  it('a time that nobody changes stays, also a second of it, and in an hour that comes twice', () => {
    const content = { strategy: 'popular', placement: 'p', count: 1 };
    const schedule = { from: '2026-11-01T06:30:15.000Z', to: '2026-11-01T07:00:00.500Z' };
    const form = formOf({ ...COMMON, schedule, content }, ZONE);
    expect(fieldsOf('recommendation', form, ZONE, schedule).schedule).toEqual(schedule);
    form.schedule.from = '2026-11-01T00:30';
    expect(fieldsOf('recommendation', form, ZONE, schedule).schedule).toEqual({
      ...schedule,
      from: '2026-11-01T04:30:00.000Z',
    });
  });

  it('times are those of the site’s clocks, and what is no number goes to the service as it is', () => {
    const form = formOf({ ...COMMON, content: { strategy: 'popular', placement: 'p', count: 1 } }, ZONE);
    expect(form.schedule.from).toBe('2026-03-01T00:00');
    form.content.count = 'many';
    expect(fieldsOf('recommendation', form, ZONE).content).toEqual({
      strategy: 'popular',
      placement: 'p',
      count: 'many',
    });
  });

  it('every field has the path by which a refusal names it', () => {
    const form = formOf({ ...COMMON, content: { layout: 'modal', title: '', quiz: QUIZ } }, ZONE);
    const paths = pathsOf(form);
    for (const path of [
      'name',
      'schedule.to',
      'targeting.device_types',
      'content.cta.url',
      'content.quiz.questions.0.text',
      'content.quiz.questions.0.answers.0.answer_id',
    ]) {
      expect(paths).toContain(path);
    }
  });
});
