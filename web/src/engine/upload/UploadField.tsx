/** 图片和pdf上传: files under their rules, pictures to look at, a pdf in a window of its own (spec/3-rules.md 5.5, 5.6). */
import { DeleteOutlined, FilePdfOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Flex, Spin, Tooltip, Typography } from 'antd';
import { useRef, useState } from 'react';
import { api, ApiError } from '@/lib/api';
import { isCancelled, NETWORK, reportError, showMessage } from '@/lib/errors';
import { openUpload, ImagePreview, Thumbnail } from './FileView';
import { isImage, describeRefusal, type UploadItem, type UploadRules } from './uploadRules';

const UPLOAD = 'v2/open/Upload/uploadImg';
const REMOVE = 'Upload/UploadFile/delReceiptImg';

interface UploadFieldProps {
  label: string;
  rules: UploadRules;
  value: readonly UploadItem[];
  onChange?: (items: UploadItem[]) => void;
  readonly?: boolean;
  /** Taking a file off leaves it on the server: a record may hold it until it is saved without it. */
  detach?: boolean;
}

export function UploadField({ label, rules, value, onChange, readonly = false, detach = false }: UploadFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState<string[]>([]);
  const [shown, setShown] = useState<UploadItem | null>(null);

  const take = async (files: File[]) => {
    let items = [...value];
    for (const file of files) {
      const why = describeRefusal(rules, file, items);
      if (why) {
        showMessage('error', why);
        continue;
      }
      setSending((names) => [...names, file.name]);
      const url = await sendFile(file, rules);
      setSending((names) => names.filter((name) => name !== file.name));
      if (url === null) continue;
      items = [...items, { url, name: file.name }];
      onChange?.(items);
    }
  };
  const remove = async (item: UploadItem) => {
    try {
      if (!detach) await api.post(REMOVE, { url: item.url });
      onChange?.(value.filter((one) => one !== item));
    } catch (error) {
      reportError(error);
    }
  };

  return (
    <Flex vertical gap={4}>
      <Flex wrap gap={8} role="list" aria-label={label}>
        {value.map((item) => (
          <Flex key={item.url} vertical align="center" role="listitem" style={{ width: 104 }}>
            <Button
              style={{ width: 104, height: 104, padding: 4 }}
              aria-label={`查看${item.name}`}
              onClick={() => openUpload(item, setShown)}
            >
              {isImage(item.name) ? <Thumbnail item={item} /> : <FilePdfOutlined style={{ fontSize: 40 }} />}
            </Button>
            <Flex align="center" style={{ width: '100%' }}>
              <Typography.Text ellipsis={{ tooltip: item.name }} style={{ flex: 1 }}>
                {item.name}
              </Typography.Text>
              {!readonly && (
                <Tooltip title="删除">
                  <Button
                    type="text"
                    size="small"
                    icon={<DeleteOutlined />}
                    aria-label={`删除${item.name}`}
                    onClick={() => void remove(item)}
                  />
                </Tooltip>
              )}
            </Flex>
          </Flex>
        ))}
        {sending.map((name) => (
          <Spin key={name} description={name}>
            <div style={{ width: 104, height: 104 }} />
          </Spin>
        ))}
        {!readonly && (
          <Button style={{ width: 104, height: 104 }} icon={<PlusOutlined />} onClick={() => input.current?.click()}>
            上传
          </Button>
        )}
      </Flex>
      {rules.hint && !readonly && <Typography.Text type="secondary">{rules.hint}</Typography.Text>}
      <input
        ref={input}
        type="file"
        hidden
        multiple={rules.limit !== 1}
        aria-label={`选择${label}`}
        accept={rules.groups.flatMap(({ types }) => types.map((type) => `.${type}`)).join(',')}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = '';
          void take(files);
        }}
      />
      {shown && <ImagePreview item={shown} onClose={() => setShown(null)} />}
    </Flex>
  );
}

/** The address of a sent file; null when it was not taken, which is told. */
async function sendFile(file: File, rules: UploadRules): Promise<string | null> {
  const form = new FormData();
  form.append('file', file);
  form.append('scene', rules.scene);
  try {
    return await api.upload<string>(UPLOAD, form);
  } catch (error) {
    if (isCancelled(error)) return null;
    if (error instanceof ApiError && error.code !== NETWORK) reportError(error);
    else showMessage('error', rules.failed);
    return null;
  }
}
