/** Whether somebody has typed a name as it is shown: several spaces are shown as one, and a letter with its mark in either form. */
export function isSameName(typed: string, name: string): boolean {
  return typed !== '' && shownAs(typed) === shownAs(name);
}

function shownAs(name: string): string {
  return name.normalize('NFC').replaceAll(/\s+/g, ' ').trim();
}
