/** 功能权限: modules on the left, the chosen one's screens with their actions on the right; a search looks in all of them. */
import { SearchOutlined } from '@ant-design/icons';
import { Checkbox, Empty, Flex, Input, Switch, Tooltip } from 'antd';
import { memo, useDeferredValue, useState } from 'react';
import type { RightNode } from '@/gen';
import { found, ticked, toggle, toggleAll } from './rights';
import styles from './access.module.css';

interface Props {
  tree: RightNode[];
  held: ReadonlySet<string>;
  /** Codes that come from bundles: shown as held, changed there. */
  bundled?: ReadonlySet<string>;
  onChange: (held: Set<string>) => void;
}

const NONE: ReadonlySet<string> = new Set();

export function RightMatrix({ tree, held, bundled = NONE, onChange }: Props) {
  const [words, setWords] = useState('');
  const [onlyHeld, setOnlyHeld] = useState(false);
  const [chosen, choose] = useState(tree[0]?.key);
  const shown = found(tree, useDeferredValue(words));
  const module = shown.find(({ key }) => key === chosen) ?? shown[0];
  const all = ticked(held, bundled, { key: 'all ', title: '', children: tree });
  return (
    <>
      <Flex gap={8} align="center" style={{ marginBottom: 8 }}>
        <Input
          allowClear
          prefix={<SearchOutlined />}
          placeholder="查找界面或操作"
          aria-label="查找界面或操作"
          style={{ width: 240 }}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <label>
          <Switch size="small" checked={onlyHeld} onChange={setOnlyHeld} /> 只看已选
        </label>
        <span className={styles.space} />
        <span className={styles.muted}>
          已选 {all.many} / {all.every}
        </span>
      </Flex>
      <div className={styles.matrix}>
        <nav className={styles.modules} aria-label="模块">
          {shown.map((node) => (
            <Module
              key={node.key}
              node={node}
              held={held}
              bundled={bundled}
              active={node === module}
              onOpen={() => choose(node.key)}
              onChange={onChange}
            />
          ))}
        </nav>
        <div className={styles.rows}>
          {module?.children.map((group) => (
            <Group key={group.key} node={group} held={held} bundled={bundled} onlyHeld={onlyHeld} onChange={onChange} />
          ))}
          {!module && <Empty description="没有符合的权限" />}
        </div>
      </div>
    </>
  );
}

interface NodeProps {
  node: RightNode;
  held: ReadonlySet<string>;
  bundled: ReadonlySet<string>;
  onChange: (held: Set<string>) => void;
}

function Module({ node, held, bundled, active, onOpen, onChange }: NodeProps & { active: boolean; onOpen: () => void }) {
  const { many, every, checked, indeterminate } = ticked(held, bundled, node);
  return (
    <div className={active ? `${styles.module} ${styles.chosen}` : styles.module} onClick={onOpen}>
      <Checkbox
        aria-label={`${node.title}全部权限`}
        checked={checked}
        indeterminate={indeterminate}
        onClick={(event) => event.stopPropagation()}
        onChange={(event) => onChange(toggleAll(held, node, event.target.checked))}
      />
      <button type="button" className={styles.module} style={{ padding: 0 }}>
        {node.title}
        <small>
          {many}/{every}
        </small>
      </button>
    </div>
  );
}

function Group({ node, held, bundled, onlyHeld, onChange }: NodeProps & { onlyHeld: boolean }) {
  const { checked, indeterminate } = ticked(held, bundled, node);
  const screens = onlyHeld ? node.children.filter((screen) => ticked(held, bundled, screen).many > 0) : node.children;
  if (screens.length === 0) return null;
  return (
    <section>
      <div className={styles.group}>
        <Checkbox
          checked={checked}
          indeterminate={indeterminate}
          onChange={(event) => onChange(toggleAll(held, node, event.target.checked))}
        >
          {node.title}
        </Checkbox>
      </div>
      {screens.map((screen) => (
        <ScreenRow key={screen.key} node={screen} held={held} bundled={bundled} onChange={onChange} />
      ))}
    </section>
  );
}

const ScreenRow = memo(function ScreenRow({ node, held, bundled, onChange }: NodeProps) {
  const { checked, indeterminate } = ticked(held, bundled, node);
  return (
    <div className={styles.row}>
      <Checkbox
        checked={checked}
        indeterminate={indeterminate}
        onChange={(event) => onChange(toggleAll(held, node, event.target.checked))}
      >
        {node.title}
      </Checkbox>
      <div className={styles.actions}>
        {node.children.map((action) => (
          <ActionBox
            key={action.key}
            action={action}
            held={held.has(action.key)}
            bundled={bundled.has(action.key)}
            onChange={(on) => onChange(toggle(held, node, action.key, on))}
          />
        ))}
      </div>
    </div>
  );
});

interface ActionProps {
  action: RightNode;
  held: boolean;
  bundled: boolean;
  onChange: (on: boolean) => void;
}

function ActionBox({ action, held, bundled, onChange }: ActionProps) {
  const given = bundled && !held;
  const box = (
    <Checkbox
      checked={held || bundled}
      disabled={given || action.mine === false}
      onChange={(event) => onChange(event.target.checked)}
    >
      <span className={given ? styles.bundled : undefined}>{action.title}</span>
    </Checkbox>
  );
  if (given) return <Tooltip title="来自权限包">{box}</Tooltip>;
  if (action.mine === false) return <Tooltip title="自己没有此权限，不能授予">{box}</Tooltip>;
  return box;
}
