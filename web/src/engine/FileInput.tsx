import type { Ref } from 'react';
import { acceptedTypes, pickSheet } from './upload/uploadSheet';

interface FileInputProps {
  ref: Ref<HTMLInputElement>;
  label: string;
  onFile: (file: File) => void;
  /** True if CSV files are accepted too. */
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
      accept={acceptedTypes(csv)}
      onChange={(event) => {
        const file = pickSheet([...(event.target.files ?? [])], csv);
        event.target.value = '';
        if (file) onFile(file);
      }}
    />
  );
}
