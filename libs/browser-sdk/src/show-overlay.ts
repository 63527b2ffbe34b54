import type { Campaign, Overlay, Stage } from './campaign-types.js';
import { openQuiz } from './quiz.js';
import { element, link, onEscape, openSurface } from './surface.js';

/**
 * Shows an overlay at once.
 * @param closed called when the visitor has closed it
 * @returns what takes it away without a word
 */
export function showOverlay(
  { track, labels }: Stage,
  { campaign_id, content }: Campaign<Overlay>,
  closed: () => void,
): () => void {
  const { layout, title, body, cta, quiz } = content;
  const ids = { overlay_id: campaign_id, campaign_id };
  let isTaken = false;
  const close = (): void => {
    if (!box.isConnected) return;
    if (!isTaken) track('overlay_dismiss', ids);
    // Gives the focus back to where it was.
    box.close?.();
    end();
    closed();
  };
  const onKey = onEscape(close);
  const follow = (): void => {
    isTaken = true;
    track('overlay_click', ids);
    close();
  };
  const box: HTMLElement & Partial<Pick<HTMLDialogElement, 'close' | 'showModal'>> = element(
    layout === 'modal' ? 'dialog' : 'section',
    { class: layout, 'aria-label': title, cancel: close },
    element('button', { class: 'close', 'aria-label': labels?.close ?? 'Close', click: close }, '×'),
    element('h2', {}, title),
    body ? element('p', {}, body) : '',
    cta ? link(cta.url, follow, 'cta', cta.label) : '',
    quiz ? openQuiz(track, ids, quiz, () => (isTaken = true)) : '',
  );
  const remove = openSurface(document.body, box);
  const end = (): void => {
    removeEventListener('keydown', onKey);
    remove();
  };
  addEventListener('keydown', onKey);
  box.showModal?.();
  track('overlay_impression', ids);
  return end;
}
