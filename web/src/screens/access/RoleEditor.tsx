/** 角色: name, data scope, rights and hidden fields in one form, saved in one call. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Alert, App, Button, Card, Tabs } from 'antd';
import { useMemo, useState } from 'react';
import type { RoleEditor as Editor } from '@/gen';
import { confirmAct } from '@/engine/consequenceDialog';
import { QueryFallback } from '@/engine/QueryFallback';
import type { Screen } from '@/engine/types';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import { FieldMatrix } from './FieldMatrix';
import { RightMatrix } from './RightMatrix';
import { listCodes } from './rights';
import { toRoleForm, buildRoleBody, type RoleForm } from './roleForm';
import { RoleScope } from './RoleScope';
import styles from './access.module.css';

const ALL_RIGHTS = '*';

export default function RoleEditor({ screen, params }: { screen: Screen; params: Record<string, string> }) {
  const id = Number(params.id ?? params.copy ?? 0);
  const read = useQuery({
    queryKey: ['role', 'editor', id],
    queryFn: ({ signal }) => api.get<Editor>('v2/system/Role/getEditor', { role_id: id }, { signal }),
    staleTime: 0,
    gcTime: 0,
    refetchOnMount: false,
  });
  const { data, refetch } = read;
  if (!data) return <QueryFallback title="角色加载失败" queries={[read]} />;
  return (
    <RoleForms
      key={`${id}:${String(data.role?.version)}`}
      editor={data}
      screen={screen}
      copy={'copy' in params}
      again={() => void refetch()}
    />
  );
}

interface FormProps {
  editor: Editor;
  screen: Screen;
  copy: boolean;
  again: () => void;
}

function RoleForms({ editor, screen, copy, again }: FormProps) {
  const tabs = useTabs();
  const client = useQueryClient();
  const { modal } = App.useApp();
  const started = useMemo(() => toRoleForm(editor, copy), [editor, copy]);
  const [form, setForm] = useState<RoleForm>(started);
  const change = (changes: Partial<RoleForm>) => setForm((before) => ({ ...before, ...changes }));
  const everything = form.rights.has(ALL_RIGHTS);
  const bundled = useMemo(() => {
    if (everything) return new Set(editor.tree.flatMap(listCodes));
    const taken = editor.bundles.filter(({ right_bundle_id }) => form.bundles.includes(right_bundle_id));
    return new Set(taken.flatMap(({ rights }) => rights));
  }, [editor, form.bundles, everything]);
  const save = useMutation({
    mutationFn: () => api.post<{ id: number }>('v2/system/Role/save', buildRoleBody(form)),
    onSuccess: ({ id }) => {
      showMessage('success', '角色已保存，对正在使用的用户立即生效');
      void client.invalidateQueries({ queryKey: [screen.name] });
      if (form.role_id === null) tabs.open(`${screen.routes.add}?id=${id}`, `修改${screen.label}`);
      else again();
    },
    onError: reportError,
  });
  const submit = async () => {
    // A role that nobody has yet changes nobody's rights.
    if (form.role_id === null || editor.users.length === 0) return save.mutate();
    const formatCount = (rights: Set<string>) => (rights.has(ALL_RIGHTS) ? '全部' : `${rights.size} 项`);
    const about = {
      effect: '用此角色的用户立即按新的权限和数据范围工作，正在做的也是',
      undo: '改回原来的权限再保存',
      facts: [
        { label: '用户', value: `${editor.users.length} 个：${formatUserNames(editor.users)}` },
        { label: '直接权限', value: `${formatCount(started.rights)} → ${formatCount(form.rights)}` },
        { label: '权限包', value: `${started.bundles.length} 个 → ${form.bundles.length} 个` },
      ],
    };
    if (await confirmAct(modal, { title: `修改角色“${form.role_name}”？`, okText: '确认修改', about })) save.mutate();
  };
  return (
    <div className={styles.page}>
      <div className={styles.bar}>
        <strong>
          {form.role_id === null ? (copy ? `复制自 ${String(editor.role?.role_name)}` : '新增角色') : form.role_name}
        </strong>
        {form.role_id !== null && <span className={styles.muted}>{editor.users.length} 个用户使用此角色</span>}
        <span className={styles.space} />
        {form.role_id !== null && (
          <Button onClick={() => tabs.open(`${screen.routes.add}?copy=${form.role_id}`, `新增${screen.label}`)}>
            复制为新角色
          </Button>
        )}
        <Button disabled={form === started} onClick={() => setForm(started)}>
          还原
        </Button>
        <Button type="primary" disabled={!form.role_name.trim()} loading={save.isPending} onClick={() => void submit()}>
          保存
        </Button>
      </div>
      <div className={styles.columns}>
        <Card size="small" title="角色与数据范围" className={styles.side}>
          <RoleScope form={form} editor={editor} onChange={change} />
        </Card>
        <Card size="small" className={styles.main}>
          <Tabs
            size="small"
            items={[
              {
                key: 'rights',
                label: '菜单与操作权限',
                children: (
                  <div className={styles.tall}>
                    {everything && (
                      <Alert
                        type="info"
                        showIcon
                        style={{ marginBottom: 8 }}
                        title="此角色持有全部权限，包括以后新增的功能"
                        action={
                          <Button onClick={() => change({ rights: excludeAllRights(form.rights) })}>
                            改为逐项授予
                          </Button>
                        }
                      />
                    )}
                    <RightMatrix
                      tree={editor.tree}
                      granted={form.rights}
                      bundled={bundled}
                      onChange={(rights) => change({ rights })}
                    />
                  </div>
                ),
              },
              {
                key: 'fields',
                label: `字段权限${form.denied.size ? `（隐藏 ${form.denied.size}）` : ''}`,
                children: (
                  <div className={styles.tall}>
                    <FieldMatrix
                      roleId={form.role_id ?? 0}
                      denied={form.denied}
                      onChange={(denied) => change({ denied })}
                    />
                  </div>
                ),
              },
            ]}
          />
        </Card>
      </div>
    </div>
  );
}

function excludeAllRights(rights: ReadonlySet<string>): Set<string> {
  return new Set([...rights].filter((code) => code !== ALL_RIGHTS));
}

const MAX_NAMES = 5;

function formatUserNames(users: Editor['users']): string {
  const names = users.slice(0, MAX_NAMES).map(({ name }) => name);
  return names.join('、') + (users.length > MAX_NAMES ? '等' : '');
}
