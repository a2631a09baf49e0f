import { useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useRef, useState } from 'react';
import { api } from '../../lib/api';
import { reportError, showMessage } from '../../lib/errors';
import { saveFile } from '../../lib/saveFile';
import { FileInput } from '../FileInput';
import { uploadSheet } from '../upload/uploadSheet';
import { allowsStatus, type FileCall, type Row, type Screen } from '../types';

/** Files that a record gives and takes, say a stocktake's count sheets. */
export function FileButtons({ screen, id, row }: { screen: Screen; id: number; row: Row }) {
  const calls = (screen.files ?? []).filter((call) => allowsStatus(call, screen, row));
  return calls.map((call) => <FileButton key={call.label} screen={screen} call={call} id={id} row={row} />);
}

function FileButton({ screen, call, id, row }: { screen: Screen; call: FileCall; id: number; row: Row }) {
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const path = `${screen.api}/${call.name}`;
  const during = (work: Promise<void>) => {
    setBusy(true);
    void work.catch(reportError).finally(() => setBusy(false));
  };
  const take = async () => {
    const file = await api.download(path, { id, ...call.query });
    saveFile(file, `${String(row[screen.title_field] ?? id)}${call.label}.xlsx`);
  };
  const give = async (file: File) => {
    const form = new FormData();
    form.append('id', String(id));
    form.append('excel', file);
    await uploadSheet(path, form);
    showMessage('success', `${call.label}成功`);
    await client.invalidateQueries({ queryKey: [screen.name] });
  };
  return (
    <>
      <Button loading={busy} onClick={() => (call.way === 'download' ? during(take()) : input.current?.click())}>
        {call.label}
      </Button>
      {call.way === 'upload' && <FileInput ref={input} label={call.label} onFile={(file) => during(give(file))} />}
    </>
  );
}
