import type { Ref } from 'react';
import { accepted, chosenSheet } from './upload/uploadSheet';

interface FileInputProps {
  ref: Ref<HTMLInputElement>;
  label: string;
  onFile: (file: File) => void;
  /** Whether text of separated values is taken too. */
  csv?: boolean;
}

/** The hidden input behind a button that takes a spreadsheet; the same file may be chosen twice, and more than one is refused in words. */
export function FileInput({ ref, label, onFile, csv = false }: FileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      hidden
      multiple
      aria-label={label}
      accept={accepted(csv)}
      onChange={(event) => {
        const file = chosenSheet([...(event.target.files ?? [])], csv);
        event.target.value = '';
        if (file) onFile(file);
      }}
    />
  );
}
