/** 权限包: a name and the rights under it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { App, Button, Card, Input } from 'antd';
import { useState } from 'react';
import type { Bundle, RightNode } from '@/gen';
import { confirmAct } from '@/engine/consequenceDialog';
import { QueryFallback } from '@/engine/QueryFallback';
import type { Screen } from '@/engine/types';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import { RightMatrix } from './RightMatrix';
import { rightTreeQuery } from './queries';
import styles from './access.module.css';

const EMPTY_BUNDLE: Bundle = { right_bundle_id: 0, bundle_name: '', remark: null, rights: [] };

export default function BundleEditor({ screen, params }: { screen: Screen; params: Record<string, string> }) {
  const id = Number(params.id ?? 0);
  const tree = useQuery(rightTreeQuery());
  const bundle = useQuery({
    queryKey: ['right_bundle', 'edit', id],
    queryFn: ({ signal }) =>
      id ? api.get<Bundle>('v2/system/RightBundle/getBundle', { id }, { signal }) : EMPTY_BUNDLE,
    staleTime: Infinity,
    gcTime: 0,
  });
  if (!tree.data || !bundle.data) return <QueryFallback title="权限包加载失败" queries={[tree, bundle]} />;
  return <BundleForm key={id} screen={screen} tree={tree.data} bundle={bundle.data} />;
}

function BundleForm({ screen, tree, bundle }: { screen: Screen; tree: RightNode[]; bundle: Bundle }) {
  const tabs = useTabs();
  const client = useQueryClient();
  const { modal } = App.useApp();
  const [name, setName] = useState(bundle.bundle_name);
  const [remark, setRemark] = useState(bundle.remark ?? '');
  const [granted, setHeld] = useState<Set<string>>(() => new Set(bundle.rights));
  const save = useMutation({
    mutationFn: () =>
      api.post<{ id: number }>('v2/system/RightBundle/save', {
        right_bundle_id: bundle.right_bundle_id || null,
        bundle_name: name,
        remark: remark || null,
        rights: [...granted].sort(),
      }),
    onSuccess: () => {
      showMessage('success', '权限包已保存，使用它的角色立即生效');
      void client.invalidateQueries({ queryKey: [screen.name] });
      tabs.open(screen.routes.list, '权限', { keepAlive: true });
    },
    onError: reportError,
  });
  const submit = async () => {
    if (!bundle.right_bundle_id) return save.mutate();
    const before = new Set(bundle.rights);
    const about = {
      effect: '用此权限包的角色立即增减这些权限',
      undo: '改回原来的权限再保存',
      facts: [
        { label: '新增', value: `${[...granted].filter((code) => !before.has(code)).length} 项` },
        { label: '收回', value: `${bundle.rights.filter((code) => !granted.has(code)).length} 项` },
      ],
    };
    if (await confirmAct(modal, { title: `修改权限包“${name}”？`, okText: '确认修改', about })) save.mutate();
  };
  return (
    <div className={styles.page}>
      <div className={styles.bar}>
        <Input
          aria-label="权限包名称"
          placeholder="权限包名称"
          maxLength={100}
          style={{ width: 240 }}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Input
          aria-label="备注"
          placeholder="备注：给谁用"
          maxLength={500}
          style={{ width: 360 }}
          value={remark}
          onChange={(event) => setRemark(event.target.value)}
        />
        <span className={styles.space} />
        <Button type="primary" disabled={!name.trim()} loading={save.isPending} onClick={() => void submit()}>
          保存
        </Button>
      </div>
      <Card size="small" className={styles.main} style={{ minHeight: 420 }}>
        <RightMatrix tree={tree} granted={granted} onChange={setHeld} />
      </Card>
    </div>
  );
}
