/** Views of uploaded files: pictures small and large, a pdf in a window of its own. */
import { Image, Modal, Spin } from 'antd';
import { api } from '@/lib/api';
import { reportError } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { isImage, type UploadItem } from './uploadRules';

/** Files are read with the user's token, which an address alone doesn't carry. */
export function downloadUpload(item: UploadItem): Promise<Blob> {
  const { pathname, searchParams } = new URL(item.url, window.location.origin);
  return api.download(pathname, Object.fromEntries(searchParams));
}

export function openUpload(item: UploadItem, show: (item: UploadItem) => void): void {
  if (isImage(item.name)) {
    show(item);
    return;
  }
  // Opened at once, since a window that opens later counts as a pop-up.
  const opened = window.open('', '_blank');
  downloadUpload(item)
    .then((file) => {
      if (opened) opened.location.href = URL.createObjectURL(file);
    })
    .catch((error: unknown) => {
      opened?.close();
      reportError(error);
    });
}

/** The picture as an address of its own, which needs no giving back. */
function useImageAddress(item: UploadItem): string | undefined {
  return useQuery({
    queryKey: ['upload', item.url],
    queryFn: async () => toDataUrl(await downloadUpload(item)),
    staleTime: Infinity,
  }).data;
}

function toDataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('unreadable'));
    reader.readAsDataURL(file);
  });
}

export function Thumbnail({ item }: { item: UploadItem }) {
  const address = useImageAddress(item);
  return address ? (
    <Image src={address} alt={item.name} preview={false} style={{ maxWidth: 94, maxHeight: 94 }} />
  ) : (
    <Spin />
  );
}

export function ImagePreview({ item, onClose }: { item: UploadItem; onClose: () => void }) {
  const address = useImageAddress(item);
  return (
    <Modal open title={item.name} footer={null} width={1200} onCancel={onClose}>
      {address ? <img src={address} alt={item.name} style={{ maxWidth: '100%', maxHeight: 800 }} /> : <Spin />}
    </Modal>
  );
}
