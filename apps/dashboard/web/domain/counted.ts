/** `1 event`, `1,180 events`. */
export function counted(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : `${one}s`}`;
}
