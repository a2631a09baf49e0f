/** Buttons that fill in a form's empty fields, from a picture of a document or a company search. Nothing is saved. */
import { FileSearchOutlined, ScanOutlined } from '@ant-design/icons';
import { Alert, Button, Dropdown, Flex } from 'antd';
import { useRef, useState } from 'react';
import { api } from '../../lib/api';
import { reportError } from '../../lib/errors';
import { parseFiles } from '../fields/fieldValue';
import type { Filling, Screen } from '../types';
import { downloadUpload } from '../upload/FileView';
import type { UploadItem } from '../upload/uploadRules';
import { CompanyDialog } from './CompanyDialog';
import { fillForm, isDocumentImage, type FillResult, type FoundItem } from './fillForm';
import type { FormModel } from './formModel';

interface FillButtonsProps {
  screen: Screen;
  fillings: Filling[];
  form: FormModel;
}

interface FillOutcome {
  title: string;
  doubtful: boolean;
  found: FoundItem[];
}

export const FILL_SOURCE_LABELS = { picture: '识别自图片', search: '查询所得' } as const;
const READABLE_IMAGE = /\.(jpe?g|png)$/i;

export default function FillButtons({ screen, fillings, form }: FillButtonsProps) {
  const input = useRef<HTMLInputElement>(null);
  const chosen = useRef<Filling | null>(null);
  const [reading, setReading] = useState<string | null>(null);
  const [searching, setAsked] = useState<Filling | null>(null);
  const [outcome, setOutcome] = useState<FillOutcome | null>(null);

  const take = (filling: Filling, filled: FillResult) => {
    const { count, kept } = fillForm(form, screen.fields, filled, FILL_SOURCE_LABELS[filling.way]);
    const rest = kept.length > 0 ? `；${kept.join('、')}已有内容，没有改动` : '';
    setOutcome({
      title: `填入${count}项${rest}。请核对后保存`,
      doubtful: filled.found.some(({ doubt }) => doubt),
      found: filled.found,
    });
  };
  const recognise = async (filling: Filling, picture: () => Promise<File>) => {
    setReading(filling.name);
    setOutcome(null);
    try {
      const body = new FormData();
      body.append('file', await picture());
      take(filling, await api.upload<FillResult>(`${screen.api}/${filling.name}`, body));
    } catch (error) {
      reportError(error);
    } finally {
      setReading(null);
    }
  };
  const choose = (filling: Filling) => {
    chosen.current = filling;
    input.current?.click();
  };
  const attached = () => {
    const { values } = form.header.get();
    return screen.fields
      .filter(isDocumentImage)
      .flatMap((field) => parseFiles(field, values).filter(({ name }) => READABLE_IMAGE.test(name)));
  };

  return (
    <div className="header-field whole">
      <Flex vertical gap={8} style={{ flex: 1, minWidth: 0, paddingLeft: 96 }}>
        <Flex gap={8} wrap>
          {fillings.map((filling) =>
            filling.way === 'search' ? (
              <Button key={filling.name} size="small" icon={<FileSearchOutlined />} onClick={() => setAsked(filling)}>
                {filling.label}
              </Button>
            ) : (
              <PictureButton
                key={filling.name}
                filling={filling}
                attached={attached}
                loading={reading === filling.name}
                disabled={reading !== null}
                onChoose={() => choose(filling)}
                onAttached={(item) => void recognise(filling, () => downloadAsFile(item))}
              />
            ),
          )}
        </Flex>
        {outcome && (
          <Alert
            type={outcome.doubtful ? 'warning' : 'success'}
            showIcon
            closable
            title={outcome.title}
            description={
              <div className="found-items">
                {outcome.found.map((item) => (
                  <div key={item.name}>
                    {item.label}：{item.value}
                    {item.doubt && <span className="field-doubt">{item.doubt}</span>}
                    {item.note && <span className="field-hint">{item.note}</span>}
                  </div>
                ))}
              </div>
            }
            onClose={() => setOutcome(null)}
          />
        )}
      </Flex>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="选择要识别的图片"
        accept=".jpg,.jpeg,.png"
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = '';
          const filling = chosen.current;
          if (file && filling) void recognise(filling, () => Promise.resolve(file));
        }}
      />
      {searching && (
        <CompanyDialog
          screen={screen}
          filling={searching}
          initialKeyword={String(form.header.get().values[screen.title_field] ?? '')}
          onChoose={(filled) => {
            take(searching, filled);
            setAsked(null);
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  );
}

interface PictureButtonProps {
  filling: Filling;
  /** The readable pictures that the form holds by now. */
  attached: () => UploadItem[];
  loading: boolean;
  disabled: boolean;
  onChoose: () => void;
  onAttached: (item: UploadItem) => void;
}

/** Reads a picture that is chosen, or one that is attached already. */
function PictureButton({ filling, attached, loading, disabled, onChoose, onAttached }: PictureButtonProps) {
  const [offered, setOffered] = useState<UploadItem[]>([]);
  const items = [
    ...offered.map((item) => ({ key: item.url, label: item.name, onClick: () => onAttached(item) })),
    { key: 'other', label: '选择图片…', onClick: onChoose },
  ];
  return (
    <Dropdown
      trigger={['click']}
      open={offered.length > 0}
      menu={{ items, onClick: () => setOffered([]) }}
      onOpenChange={(open) => !open && setOffered([])}
    >
      <Button
        size="small"
        icon={<ScanOutlined />}
        loading={loading}
        disabled={disabled}
        onClick={() => {
          const found = attached();
          if (found.length > 0) setOffered(found);
          else onChoose();
        }}
      >
        {filling.label}
      </Button>
    </Dropdown>
  );
}

async function downloadAsFile(item: UploadItem): Promise<File> {
  return new File([await downloadUpload(item)], item.name);
}
