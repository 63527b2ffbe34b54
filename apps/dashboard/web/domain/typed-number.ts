/** What is no number goes as it is typed: the service says at the field what it expects. */
export function typedNumber(text: string): number | string {
  const value = Number(text.replace(',', '.'));
  return text.trim() === '' || !Number.isFinite(value) ? text : value;
}
