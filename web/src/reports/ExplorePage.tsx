/** 自助分析: the datasets that own charts may be drawn of, and the way into the exploring port, an origin of its own. */
import { ExportOutlined } from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import { Alert, Button, Flex } from 'antd';
import { useMemo } from 'react';
import ListPage from '@/engine/list/ListPage';
import { findAction, type Screen } from '@/engine/types';
import type { Entrance } from '@/gen';
import { api } from '@/lib/api';
import { reportError } from '@/lib/errors';

export default function ExplorePage({ screen }: { screen: Screen }) {
  const list = useMemo(
    () => ({ ...screen, actions: screen.actions.filter(({ name }) => name !== 'explore') }),
    [screen],
  );
  const enter = useMutation({
    mutationFn: async (opened: Window) => {
      try {
        const { address } = await api.post<Entrance>(`${screen.api}/explore`);
        opened.location.replace(new URL(address, window.location.href));
      } catch (error) {
        opened.close();
        throw error;
      }
    },
    onError: reportError,
  });

  const open = () => {
    // Within the click: a window that opens after an answer is blocked.
    const opened = window.open('', '_blank');
    if (!opened) return;
    opened.opener = null;
    enter.mutate(opened);
  };

  return (
    <Flex vertical gap={12} style={{ height: '100%' }}>
      <Alert
        type="info"
        showIcon
        title="用下列数据集自己做图表和看板：选数据集，再选维度和指标。只含您的角色能看的数据，做好的图表只有自己看得到，看板可以在“看板”中发布给角色。"
        action={
          findAction(screen, 'explore') && (
            <Button type="primary" icon={<ExportOutlined />} loading={enter.isPending} onClick={open}>
              进入分析
            </Button>
          )
        }
      />
      <ListPage screen={list} params={{}} />
    </Flex>
  );
}
