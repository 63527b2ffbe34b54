import type { ComponentProps } from 'react';

type InputProps = Omit<ComponentProps<'input'>, 'type' | 'onClick' | 'onChange' | 'aria-disabled'>;

/** Takes a file. While one is under way it takes no other and keeps the focus, as a button does. */
export function FileInput({
  isBusy = false,
  onFile,
  ...others
}: InputProps & { readonly isBusy?: boolean; readonly onFile: (file: File) => void }) {
  return (
    <input
      {...others}
      type="file"
      aria-disabled={isBusy}
      onClick={(event) => isBusy && event.preventDefault()}
      onChange={({ target }) => {
        const [file] = target.files ?? [];
        if (file !== undefined) onFile(file);
        // The same file can be chosen again after it was mended.
        target.value = '';
      }}
    />
  );
}
