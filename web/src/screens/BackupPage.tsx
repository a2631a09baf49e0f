/** 备份与恢复: start a backup, follow and verify it, download it; instructions for restoring on the command line. */
import { DownloadOutlined } from '@ant-design/icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Alert, Button, Flex, Space, Typography } from 'antd';
import { useEffect, useMemo, useRef, useState } from 'react';
import ListPage from '@/engine/list/ListPage';
import { findAction, type ListAnswer, type Row, type Screen } from '@/engine/types';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { saveFile } from '@/lib/saveFile';

const POLL_MS = 2000;
const UNFINISHED_STATES = '0,2';
const DONE_STATE = 1;
/** Number of newest backups offered for download. */
const MAX_OFFERED = 3;

function newestQuery(screen: Screen, filter: Record<string, string | number>) {
  return {
    queryKey: [screen.name, 'newest', filter],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api.get<ListAnswer>(`${screen.api}/getList`, { ...filter, totals: 0 }, { signal }),
    staleTime: 0,
  } as const;
}

export default function BackupPage({ screen }: { screen: Screen }) {
  const client = useQueryClient();
  const running = useQuery({
    ...newestQuery(screen, { state: UNFINISHED_STATES, per_page: 5 }),
    refetchInterval: ({ state }: { state: { data?: ListAnswer } }) => (state.data?.data.length ? POLL_MS : false),
  });
  const finished = useQuery(newestQuery(screen, { state: DONE_STATE, per_page: MAX_OFFERED }));
  const may = (name: string) => findAction(screen, name) !== undefined;
  const start = useMutation({
    mutationFn: () => api.post(`${screen.api}/backup`),
    onSuccess: () => {
      showMessage('success', '已开始备份，完成后可下载');
      void client.invalidateQueries({ queryKey: [screen.name] });
    },
    onError: reportError,
  });
  const busy = running.data?.data.length ?? 0;

  // The list and the files to download follow the backup under way to its end.
  const seen = useRef(busy);
  useEffect(() => {
    if (seen.current === busy) return;
    seen.current = busy;
    void client.invalidateQueries({ queryKey: [screen.name] });
  }, [client, busy, screen.name]);
  const list = useMemo(
    () => ({ ...screen, actions: screen.actions.filter(({ name }) => name !== 'backup') }),
    [screen],
  );

  return (
    <Flex vertical gap={12}>
      <Alert
        type="info"
        showIcon
        title="备份是整个数据库在某一时刻的转储，和上传的图片、附件、归档的日志在一个文件里；备份时可照常使用。每天几点自动备份、保留几份，在“系统参数”里设置。"
        description={<RestoreInstructions />}
      />
      <Space wrap>
        {may('backup') && (
          <Button type="primary" loading={start.isPending || busy > 0} onClick={() => start.mutate()}>
            {busy > 0 ? '正在备份' : '开始备份'}
          </Button>
        )}
        {may('download') &&
          finished.data?.data.map((row) => <DownloadButton key={String(row.backup_id)} screen={screen} row={row} />)}
      </Space>
      <ListPage screen={list} params={{}} />
    </Flex>
  );
}

function RestoreInstructions() {
  return (
    <>
      恢复只能用命令行放进空的数据库和数据目录，不会覆盖正在使用的数据：
      <Typography.Text code copyable>
        ERP_DATA_DIR=新的空目录 erp restore 备份文件.tar
      </Typography.Text>
      ，然后 <Typography.Text code>erp check</Typography.Text> 核对账簿，<Typography.Text code>erp up</Typography.Text>{' '}
      启动，报表数据会自动重新计算。数据目录里的
      secrets.json（密钥和密码）不在备份里，请另外保存；没有它，恢复后要重新填写短信平台的密钥。
    </>
  );
}

function DownloadButton({ screen, row }: { screen: Screen; row: Row }) {
  const [busy, setBusy] = useState(false);
  const name = String(row.file_name);
  const take = async () => {
    setBusy(true);
    try {
      saveFile(await api.download(`${screen.api}/getFile`, { id: Number(row.backup_id) }), name);
    } catch (error) {
      reportError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button icon={<DownloadOutlined />} loading={busy} onClick={() => void take()}>
      {`下载 ${name}（${String(row.size_text ?? '')}）`}
    </Button>
  );
}
