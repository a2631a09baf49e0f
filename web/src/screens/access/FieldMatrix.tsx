/** 字段权限: the screens on the left, the chosen one's fields on the right; what is not ticked shows as 无权限. */
import { Checkbox, Empty, Tag } from 'antd';
import { useState } from 'react';
import type { ScreenFields } from '@/gen';
import { QueryFallback } from '@/engine/QueryFallback';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';
import { Matrix } from './Matrix';
import styles from './access.module.css';

interface Props {
  roleId: number;
  /** Hidden fields as `screen.field`. */
  denied: ReadonlySet<string>;
  onChange: (denied: Set<string>) => void;
}

export const fieldKey = (screen: string, field: string) => `${screen}.${field}`;

export function FieldMatrix({ roleId, denied, onChange }: Props) {
  const [words, setWords] = useState('');
  const [onlyHidden, setOnlyHidden] = useState(false);
  const [chosen, choose] = useState('');
  const read = useQuery({
    queryKey: ['role', 'fields', roleId],
    queryFn: ({ signal }) =>
      api.get<ScreenFields[]>('v2/system/RoleFieldAuth/getList', { role_id: roleId }, { signal }),
  });
  const { data } = read;
  if (!data) return <QueryFallback title="字段加载失败" queries={[read]} />;
  const hidden = (screen: ScreenFields) =>
    screen.fields.filter(({ field }) => denied.has(fieldKey(screen.screen, field))).length;
  const wanted = words.trim();
  const shown = data.filter(
    (screen) =>
      (!onlyHidden || hidden(screen) > 0) &&
      (screen.label.includes(wanted) || screen.fields.some(({ label }) => wanted !== '' && label.includes(wanted))),
  );
  const screen = shown.find((one) => one.screen === chosen) ?? shown[0];
  return (
    <Matrix
      what="界面或字段"
      words={words}
      onWords={setWords}
      only={{ label: '只看有隐藏字段的', on: onlyHidden, onChange: setOnlyHidden }}
      note="未勾选的字段显示为“无权限”，不能查询、排序、合计和导出"
      part="界面"
      parts={shown.map((one) => (
        <button
          key={one.screen}
          type="button"
          className={one === screen ? `${styles.module} ${styles.chosen}` : styles.module}
          onClick={() => choose(one.screen)}
        >
          {one.label}
          {hidden(one) > 0 && <Tag color="orange">隐藏 {hidden(one)}</Tag>}
        </button>
      ))}
    >
      {screen ? (
        <ScreenFieldList screen={screen} denied={denied} onChange={onChange} />
      ) : (
        <Empty description="没有符合的界面" />
      )}
    </Matrix>
  );
}

function ScreenFieldList({ screen, denied, onChange }: Pick<Props, 'denied' | 'onChange'> & { screen: ScreenFields }) {
  const key = (field: string) => fieldKey(screen.screen, field);
  const many = screen.fields.filter(({ field }) => denied.has(key(field))).length;
  const set = (fields: ScreenFields['fields'], visible: boolean) => {
    const next = new Set(denied);
    for (const { field, mine } of fields) {
      if (visible && mine) next.delete(key(field));
      else if (!visible) next.add(key(field));
    }
    onChange(next);
  };
  return (
    <>
      <div className={styles.group}>
        <Checkbox
          checked={many === 0}
          indeterminate={many > 0 && many < screen.fields.length}
          onChange={(event) => set(screen.fields, event.target.checked)}
        >
          {screen.label}：全部字段可见
        </Checkbox>
      </div>
      <div className={styles.grid}>
        {screen.fields.map((item) => (
          <Checkbox
            key={item.field}
            checked={!denied.has(key(item.field))}
            disabled={!item.mine && denied.has(key(item.field))}
            onChange={(event) => set([item], event.target.checked)}
          >
            {item.label}
            {item.is_cost && <Tag style={{ marginInlineStart: 4 }}>成本</Tag>}
          </Checkbox>
        ))}
      </div>
    </>
  );
}
