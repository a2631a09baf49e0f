import { InboxOutlined } from '@ant-design/icons';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Badge, Button, Dropdown } from 'antd';
import dayjs from 'dayjs';
import { reportError, showMessage } from '../../lib/errors';
import { DATETIME } from '../../lib/format';
import { listPreferences, removePreference, savePreference } from '../../lib/preferences';
import type { Row } from '../types';
import type { Draft } from './useDraft';

const PARKED = '暂存 ';

interface ParkedDraftsProps {
  screen: string;
  values: () => Row;
  /** The form has been put aside; a new one may begin. */
  onParked: () => void;
  onRecall: (values: Row) => void;
}

/** 暂存与取单: forms put aside on the server, to be gone on with here or at another desk. */
export function ParkedDrafts({ screen, values, onParked, onRecall }: ParkedDraftsProps) {
  const client = useQueryClient();
  const key = ['parked', screen];
  const { data = [] } = useQuery({
    queryKey: key,
    queryFn: () => listPreferences<null>('draft', screen),
    staleTime: 0,
    meta: { quiet: true },
  });
  const parked = data.filter((draft) => draft.name.startsWith(PARKED));
  const again = () => client.invalidateQueries({ queryKey: key });

  const park = useMutation({
    mutationFn: () => {
      const at = dayjs().format(DATETIME);
      return savePreference('draft', screen, `${PARKED}${at}`, { at, values: values() } satisfies Draft);
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
      const [found] = await listPreferences<Draft>('draft', screen, name);
      if (found === undefined) throw new Error('暂存单已被取走');
      await removePreference('draft', screen, name);
      return found.value.values;
    },
    onSuccess: (found) => {
      onRecall(found);
      void again();
    },
    onError: reportError,
  });

  return (
    <>
      <Button loading={park.isPending} onClick={() => park.mutate()}>
        暂存
      </Button>
      <Dropdown
        trigger={['click']}
        disabled={parked.length === 0}
        menu={{ items: parked.map(({ name }) => ({ key: name, label: name })), onClick: ({ key: name }) => recall.mutate(name) }}
      >
        <Badge count={parked.length} size="small">
          <Button icon={<InboxOutlined />} loading={recall.isPending}>
            取单
          </Button>
        </Badge>
      </Dropdown>
    </>
  );
}
