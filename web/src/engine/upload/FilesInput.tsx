/** The files of a form's image field: uploaded at once, held by the record when it is saved. */
import { parseFiles, joinFileNames } from '../fields/fieldValue';
import type { Field, Row } from '../types';
import { UploadField } from './UploadField';
import { rulesForScene } from './uploadRules';

interface FilesInputProps {
  field: Field;
  row: Row;
  /** Without it the files are only looked at. */
  onChange?: (names: string | null) => void;
}

export default function FilesInput({ field, row, onChange }: FilesInputProps) {
  return (
    <UploadField
      label={field.label}
      rules={rulesForScene(field.scene)}
      value={parseFiles(field, row)}
      onChange={onChange && ((files) => onChange(joinFileNames(files)))}
      readonly={!onChange}
      detach
    />
  );
}
