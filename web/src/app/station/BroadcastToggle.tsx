/** 语音播报: asks every five seconds and says aloud what is new; on or off is kept on the server. */
import { AudioMutedOutlined, AudioOutlined } from '@ant-design/icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { App, Button, Tooltip } from 'antd';
import { useEffect, useRef } from 'react';
import type { Broadcast } from '@/gen';
import { api } from '@/lib/api';
import { isCancelled, reportError, showMessage } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { readStored, writeStored } from '@/lib/stored';
import { isBlocked, speak } from './speak';

const ASK_EVERY = 5000;
const AFTER_WARNING = 2000;
const WARNING = '语音播报提示：语音播报机器人正在值守中！';
const HEARD = 'broadcastHeard';
const key = ['station', 'broadcast'];

export function BroadcastToggle({ userId }: { userId: number }) {
  const client = useQueryClient();
  const asked = useQuery({
    queryKey: key,
    queryFn: () => api.get<Broadcast>('v2/open/BroadcastVoice/getBroadcastVoice', { user_id: userId }),
    refetchInterval: ASK_EVERY,
    refetchIntervalInBackground: true,
    staleTime: 0,
    meta: { quiet: true },
  });
  const failed = asked.isError && !isCancelled(asked.error);
  const on = asked.data?.is_broadcast === 1 && !failed;

  useEffect(() => {
    localStorage.setItem('is_broadcast', on ? '1' : '0');
  }, [on]);
  useAnnouncing(on ? asked.data : undefined);

  const set = useMutation({
    mutationFn: (wanted: 0 | 1) => api.post('v2/open/BroadcastVoice/setIsBroadcast', { is_broadcast: wanted }),
    onSuccess: (_, wanted) => {
      showMessage('success', '设置成功');
      client.setQueryData<Broadcast>(key, (before) => before && { ...before, is_broadcast: wanted });
      void asked.refetch();
    },
    onError: reportError,
  });

  return (
    <Tooltip title={on ? '语音播报：开' : '语音播报：关'}>
      <Button
        type="text"
        size="middle"
        icon={on ? <AudioOutlined /> : <AudioMutedOutlined />}
        aria-label="语音播报"
        aria-pressed={on}
        loading={set.isPending}
        onClick={() => set.mutate(on ? 0 : 1)}
      />
    </Tooltip>
  );
}

/** Says each newer bill once; where the browser forbids it, after the user has closed the warning. */
function useAnnouncing(told: Broadcast | undefined): void {
  const { notification } = App.useApp();
  const warned = useRef(false);
  const latest = told?.latest_id ?? 0;
  const content = told?.content ?? '';
  const sound = told?.jybd_mp3_url ?? '';

  useEffect(() => {
    if (latest === 0) return;
    const heard = readStored<number>(HEARD);
    if (heard !== null && latest <= heard) return;
    writeStored(HEARD, latest);
    // What waited before the voice was ever on is no news.
    if (heard === null) return;
    speak(content, sound).catch((error: unknown) => {
      if (!isBlocked(error) || warned.current) return;
      warned.current = true;
      notification.warning({
        key: 'broadcast',
        title: WARNING,
        duration: 0,
        onClose: () => {
          warned.current = false;
          setTimeout(() => void speak(content, sound).catch(() => undefined), AFTER_WARNING);
        },
      });
    });
  }, [latest, content, sound, notification]);
}
