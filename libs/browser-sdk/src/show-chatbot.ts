import { MESSAGE_CHARACTERS } from './limits.js';
import type { Campaign, Chatbot, Stage } from './campaign-types.js';
import { element, onEscape, openSurface } from './surface.js';

/**
 * A button that opens a conversation; answers are found by their keywords, in the page.
 * @returns what takes it away
 */
export function showChatbot(
  { track, labels }: Stage,
  { campaign_id, name, content }: Campaign<Chatbot>,
): () => void {
  const {
    chat = 'Chat',
    message = 'Your message',
    send = 'Send',
    unknown = 'Sorry, I do not know that.',
  } = labels ?? {};
  const answerTo = (text: string): readonly (Node | string)[] => {
    const words = text.toLowerCase();
    const answer = content.answers.find(({ keywords }) =>
      keywords.some((keyword) => words.includes(keyword.toLowerCase())),
    );
    if (answer) return [answer.text];
    const email = content.handover?.email;
    return email ? [`${unknown} `, element('a', { href: `mailto:${email}` }, email)] : [unknown];
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    field.value = '';
    track('chatbot_message', { message: text, campaign_id });
    const answer = element('p', {}, ...answerTo(text));
    log.append(element('p', { class: 'mine' }, text), answer);
    answer.scrollIntoView(false);
  };
  const toggle = (): void => {
    panel.hidden = !panel.hidden;
    opener.setAttribute('aria-expanded', String(!panel.hidden));
    (panel.hidden ? opener : field).focus();
  };
  const log = element('div', { role: 'log' }, element('p', {}, content.greeting));
  const field = element('input', { 'aria-label': message, maxlength: MESSAGE_CHARACTERS });
  const form = element('form', { submit }, field, element('button', {}, send));
  const panel = element(
    'section',
    { class: 'chat', role: 'dialog', 'aria-label': name, hidden: '', keydown: onEscape(toggle) },
    log,
    form,
  );
  const opener = element('button', { class: 'open', 'aria-expanded': 'false', click: toggle }, chat);
  return openSurface(document.body, panel, opener);
}
