import { InboxOutlined } from '@ant-design/icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { App, Badge, Button, Dropdown, Space } from 'antd';
import { useState } from 'react';
import { now } from '../../lib/businessClock';
import { reportError, showMessage } from '../../lib/errors';
import { DATETIME_FORMAT } from '../../lib/format';
import { listPreferences, removePreference, savePreference } from '../../lib/preferences';
import { BILL_SHORTCUTS, usePageShortcut } from '../../lib/pageShortcuts';
import { useQuery } from '../../lib/query';
import { usePageActive } from '../../lib/tabs';
import { confirmAct } from '../consequenceDialog';
import type { Row } from '../types';
import type { Draft } from './draftStorage';

const PARKED_PREFIX = '暂存 ';

type ParkedDraft = Omit<Draft, 'visit'>;

interface ParkedDraftsProps {
  screen: string;
  values: () => Row;
  /** The form has been put aside; a new one may begin. */
  onParked: () => void;
  /** Absent if the form was prefilled, which a recalled draft must not replace. */
  onRecall: ((values: Row) => void) | null;
  /** True if a recalled draft would replace typed values. */
  isDirty: () => boolean;
}

/** 暂存与取单: forms put aside on the server, to be gone on with here or at another desk. */
export function ParkedDrafts({ screen, values, onParked, onRecall, isDirty: touched }: ParkedDraftsProps) {
  const client = useQueryClient();
  const { modal } = App.useApp();
  const [open, setOpen] = useState(false);
  const key = ['parked', screen];
  const { data = [] } = useQuery({
    queryKey: key,
    queryFn: () => listPreferences<null>('draft', screen),
    enabled: onRecall !== null,
    staleTime: 0,
    meta: { quiet: true },
  });
  const parked = data.filter((draft) => draft.name.startsWith(PARKED_PREFIX));
  const again = () => client.invalidateQueries({ queryKey: key });

  const park = useMutation({
    mutationFn: () => {
      const at = now().format(DATETIME_FORMAT);
      return savePreference('draft', screen, `${PARKED_PREFIX}${at}`, { at, values: values() } satisfies ParkedDraft);
    },
    onSuccess: () => {
      showMessage('success', '已暂存，可在任何电脑上取单继续录入');
      void again();
      onParked();
    },
    onError: reportError,
  });
  const recall = useMutation({
    mutationFn: async (name: string) => {
      const [found] = await listPreferences<ParkedDraft>('draft', screen, name);
      if (found === undefined) throw new Error('暂存单已被取走');
      await removePreference('draft', screen, name);
      return found.value.values;
    },
    onSuccess: (found) => {
      onRecall?.(found);
      void again();
    },
    onError: reportError,
  });

  const take = (name: string) => {
    if (!touched()) return recall.mutate(name);
    void confirmAct(modal, {
      title: '取单会替换当前录入的内容',
      okText: '替换',
      about: { effect: `当前录入的内容换成“${name}”`, undo: '不能恢复；需要保留时，请先取消并点“暂存”', facts: [] },
    }).then((agreed) => agreed && recall.mutate(name));
  };

  usePageShortcut('recall', usePageActive() && onRecall !== null && parked.length > 0, () => {
    if (parked.length === 1) take(parked[0]!.name);
    else setOpen(true);
  });

  return (
    <Space size={6}>
      <Button loading={park.isPending} onClick={() => park.mutate()}>
        暂存
      </Button>
      {onRecall && (
        <Badge count={parked.length} size="small">
          <Dropdown
            autoFocus
            trigger={['click']}
            open={open}
            onOpenChange={setOpen}
            menu={{
              items: parked.map(({ name }) => ({ key: name, label: name })),
              onClick: ({ key: name }) => take(name),
            }}
          >
            <Button
              icon={<InboxOutlined />}
              disabled={parked.length === 0}
              title={parked.length === 0 ? '没有暂存的单据' : BILL_SHORTCUTS.recall.combo}
              loading={recall.isPending}
            >
              取单
            </Button>
          </Dropdown>
        </Badge>
      )}
    </Space>
  );
}
