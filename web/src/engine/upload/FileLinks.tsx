/** The files of an image field in a list: a word each, looked at on a click. */
import { Button, Flex } from 'antd';
import { useState } from 'react';
import { parseFiles } from '../fields/fieldValue';
import type { Field, Row } from '../types';
import { openUpload, ImagePreview } from './FileView';
import type { UploadItem } from './uploadRules';

export default function FileLinks({ field, row }: { field: Field; row: Row }) {
  const [shown, setShown] = useState<UploadItem | null>(null);
  return (
    <Flex gap={8}>
      {parseFiles(field, row).map((item) => (
        <Button
          key={item.url}
          type="link"
          size="small"
          style={{ padding: 0 }}
          aria-label={`查看${item.name}`}
          onClick={() => openUpload(item, setShown)}
        >
          {item.name}
        </Button>
      ))}
      {shown && <ImagePreview item={shown} onClose={() => setShown(null)} />}
    </Flex>
  );
}
