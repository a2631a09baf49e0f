/** 语音播报: polls every five seconds and speaks what is new; on or off is stored on the server. */
import { AudioMutedOutlined, AudioOutlined } from '@ant-design/icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { App, Button, Tooltip } from 'antd';
import { useEffect, useRef } from 'react';
import type { Broadcast } from '@/gen';
import { api } from '@/lib/api';
import { isCancelled, reportError, showMessage } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { readSlot, writeSlot } from '@/lib/localStorageSlot';
import { isBlocked, speakText } from './speak';

const POLL_INTERVAL = 5000;
const WARNING_DELAY = 2000;
const WARNING_TEXT = '语音播报提示：语音播报机器人正在值守中！';
const HEARD_SLOT = 'broadcastHeard';
const BROADCAST_QUERY_KEY = ['station', 'broadcast'];

export function BroadcastToggle({ userId }: { userId: number }) {
  const client = useQueryClient();
  const broadcast = useQuery({
    queryKey: BROADCAST_QUERY_KEY,
    queryFn: () => api.get<Broadcast>('v2/open/BroadcastVoice/getBroadcastVoice', { user_id: userId }),
    refetchInterval: POLL_INTERVAL,
    refetchIntervalInBackground: true,
    staleTime: 0,
    meta: { quiet: true },
  });
  const failed = broadcast.isError && !isCancelled(broadcast.error);
  const on = broadcast.data?.is_broadcast === 1 && !failed;

  useEffect(() => {
    localStorage.setItem('is_broadcast', on ? '1' : '0');
  }, [on]);
  useSpokenBroadcast(on ? broadcast.data : undefined);

  const set = useMutation({
    mutationFn: (wanted: 0 | 1) => api.post('v2/open/BroadcastVoice/setIsBroadcast', { is_broadcast: wanted }),
    onSuccess: (_, wanted) => {
      showMessage('success', '设置成功');
      client.setQueryData<Broadcast>(BROADCAST_QUERY_KEY, (before) => before && { ...before, is_broadcast: wanted });
      void broadcast.refetch();
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
function useSpokenBroadcast(broadcast: Broadcast | undefined): void {
  const { notification } = App.useApp();
  const warned = useRef(false);
  const latest = broadcast?.latest_id ?? 0;
  const content = broadcast?.content ?? '';
  const sound = broadcast?.jybd_mp3_url ?? '';

  useEffect(() => {
    if (latest === 0) return;
    const lastSpoken = readSlot<number>(HEARD_SLOT);
    if (lastSpoken !== null && latest <= lastSpoken) return;
    writeSlot(HEARD_SLOT, latest);
    // What waited before the voice was ever on is no news.
    if (lastSpoken === null) return;
    speakText(content, sound).catch((error: unknown) => {
      if (!isBlocked(error) || warned.current) return;
      warned.current = true;
      notification.warning({
        key: 'broadcast',
        title: WARNING_TEXT,
        duration: 0,
        onClose: () => {
          warned.current = false;
          setTimeout(() => void speakText(content, sound).catch(() => undefined), WARNING_DELAY);
        },
      });
    });
  }, [latest, content, sound, notification]);
}
