import { LOCAL_PEOPLE } from './people.js';

const STYLE =
  'body{font:16px/1.5 system-ui;max-width:26rem;margin:4rem auto;padding:0 1rem}button{display:block;width:100%;margin:.5rem 0;padding:.75rem;font:inherit;text-align:start}label{display:block;margin:1rem 0}';

/** "Who are you?": plain HTML, one button per person. @param action where the form goes, with the request's query */
export function signInPage(action: string): string {
  const people = Object.entries(LOCAL_PEOPLE).map(
    ([person, name]) => `<button name="person" value="${person}">${name}</button>`,
  );
  return page(
    'Who are you?',
    `<form method="post" action="${escapeHtml(action)}">${people.join('')}
<label>ID token lasts <input name="id_token_seconds" type="number" min="60" max="86400" value="3600" required> seconds</label>
<label><input name="refresh_without_id_token" type="checkbox" value="true"> Refresh without a new ID token</label></form>
<p>This issuer is for development: there are no passwords.</p>`,
  );
}

export function messagePage(title: string, text: string): string {
  return page(title, `<p>${escapeHtml(text)}</p>`);
}

function page(title: string, content: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style><main><h1>${title}</h1>${content}</main></html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
