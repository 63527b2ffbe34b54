import {
  type Chatbot,
  type Overlay,
  showChatbot,
  showOverlay,
  showRecommendations,
} from '@truetally/browser-sdk/render';
import type { PreviewMessage } from './preview-message.js';

// Nothing is sent anywhere: what a shop would count, nobody counts here.
const stage = { track: () => '' };
const ids = { campaign_id: 'preview' };
const place = document.getElementById('place') ?? document.body;
let remove = (): void => undefined;

// Who types in the editor beside keeps the focus: a modal would take it, unless it is inert at that moment.
const { showModal } = HTMLDialogElement.prototype;
HTMLDialogElement.prototype.showModal = function (this: HTMLDialogElement): void {
  this.inert = true;
  showModal.call(this);
  this.inert = false;
};

window.addEventListener('message', ({ source, origin, data }: MessageEvent<unknown>) => {
  // The page around this one, and nobody else; this page itself has no origin, but its address has one.
  if (source !== window.parent || origin !== location.origin || !isMessage(data)) return;
  remove();
  remove = show(data);
});
// A link would lead the frame to the shop, with nobody to come back.
document.addEventListener('click', stopLink, true);
document.addEventListener('auxclick', stopLink, true);
window.parent.postMessage('ready', location.origin);

function show({ type, name, content, items }: PreviewMessage): () => void {
  switch (type) {
    case 'overlay':
      return showOverlay(stage, { ...ids, name, content: content as unknown as Overlay }, () => undefined);
    case 'chatbot':
      return showChatbot(stage, { ...ids, name, content: content as unknown as Chatbot });
    case 'recommendation':
      return showRecommendations(stage, { ...ids, recommendation_id: 'preview', items }, place);
  }
}

function isMessage(data: unknown): data is PreviewMessage {
  return typeof data === 'object' && data !== null && 'content' in data && 'type' in data;
}

function stopLink(event: MouseEvent): void {
  const isLink = event.composedPath().some((one) => one instanceof HTMLAnchorElement);
  if (isLink) event.preventDefault();
}
