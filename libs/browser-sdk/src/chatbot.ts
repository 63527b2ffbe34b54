import { MESSAGE_CHARACTERS } from './limits.js';
import type { Campaign, Chatbot } from './campaigns.js';
import type { Tools } from './client.js';
import { button, element, openSurface } from './surface.js';

export type StartChatbot = (tools: Tools, chatbot: Campaign<Chatbot>) => () => void;

/** A button that opens a conversation; answers are found by their keywords, in the page. */
export const startChatbot: StartChatbot = (tools, { campaign_id, name, content }) => {
  const { client, options } = tools;
  const {
    chat = 'Chat',
    message = 'Your message',
    send = 'Send',
    unknown = 'Sorry, I do not know that.',
  } = options.labels ?? {};
  const { root, remove } = openSurface();
  const log = element('div', { role: 'log' }, element('p', {}, content.greeting));
  const field = element('input', {
    'aria-label': message,
    maxlength: MESSAGE_CHARACTERS,
    autocomplete: 'off',
  });
  const form = element('form', {}, field, element('button', {}, send));
  const panel = element(
    'section',
    { class: 'chat', role: 'dialog', 'aria-label': name, hidden: '' },
    log,
    form,
  );
  const toggle = (): void => {
    panel.hidden = !panel.hidden;
    opener.setAttribute('aria-expanded', String(!panel.hidden));
    (panel.hidden ? opener : field).focus();
  };
  const opener = button({ class: 'open', 'aria-expanded': 'false' }, chat, toggle);
  panel.addEventListener('keydown', ({ key }) => key === 'Escape' && toggle());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text === '') return;
    field.value = '';
    client.track('chatbot_message', { message: text, campaign_id });
    log.append(element('p', { class: 'mine' }, text), element('p', {}, ...answerTo(text)));
    log.lastElementChild?.scrollIntoView({ block: 'nearest' });
  });
  const answerTo = (text: string): readonly (Node | string)[] => {
    const words = text.toLowerCase();
    const answer = content.answers.find(({ keywords }) =>
      keywords.some((keyword) => words.includes(keyword.toLowerCase())),
    );
    if (answer !== undefined) return [answer.text];
    const email = content.handover?.email;
    return email === undefined
      ? [unknown]
      : [`${unknown} `, element('a', { href: `mailto:${email}` }, email)];
  };
  root.append(panel, opener);
  return remove;
};
