/** 功能权限: modules on the left, the chosen one's screens with their actions on the right; a search looks in all of them. */
import { Checkbox, Empty, Tooltip } from 'antd';
import { useDeferredValue, useState, type ReactNode } from 'react';
import type { RightNode } from '@/gen';
import { Matrix } from './Matrix';
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
    <Matrix
      what="界面或操作"
      words={words}
      onWords={setWords}
      only={{ label: '只看已选', on: onlyHeld, onChange: setOnlyHeld }}
      note={`已选 ${all.many} / ${all.every}`}
      part="模块"
      parts={shown.map((node) => (
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
    >
      {module?.children.map((group) => (
        <Group key={group.key} node={group} held={held} bundled={bundled} onlyHeld={onlyHeld} onChange={onChange} />
      ))}
      {!module && <Empty description="没有符合的权限" />}
    </Matrix>
  );
}

interface NodeProps {
  node: RightNode;
  held: ReadonlySet<string>;
  bundled: ReadonlySet<string>;
  onChange: (held: Set<string>) => void;
}

/** Ticks or unticks all that is below a node. */
function NodeBox({ node, held, bundled, onChange, label, children }: NodeProps & { label?: string; children?: ReactNode }) {
  const { checked, indeterminate } = ticked(held, bundled, node);
  return (
    <Checkbox
      aria-label={label}
      checked={checked}
      indeterminate={indeterminate}
      onChange={(event) => onChange(toggleAll(held, node, event.target.checked))}
    >
      {children}
    </Checkbox>
  );
}

function Module({ active, onOpen, ...rest }: NodeProps & { active: boolean; onOpen: () => void }) {
  const { node, held, bundled } = rest;
  const { many, every } = ticked(held, bundled, node);
  return (
    <div className={active ? `${styles.part} ${styles.chosen}` : styles.part}>
      <NodeBox {...rest} label={`${node.title}全部权限`} />
      <button type="button" className={styles.module} aria-current={active} onClick={onOpen}>
        {node.title}
        <small>
          {many}/{every}
        </small>
      </button>
    </div>
  );
}

function Group({ onlyHeld, ...rest }: NodeProps & { onlyHeld: boolean }) {
  const { node, held, bundled } = rest;
  const screens = onlyHeld ? node.children.filter((screen) => ticked(held, bundled, screen).many > 0) : node.children;
  if (screens.length === 0) return null;
  return (
    <section>
      <div className={styles.group}>
        <NodeBox {...rest}>{node.title}</NodeBox>
      </div>
      {screens.map((screen) => (
        <ScreenRow key={screen.key} {...rest} node={screen} />
      ))}
    </section>
  );
}

function ScreenRow(props: NodeProps) {
  const { node, held, bundled, onChange } = props;
  return (
    <div className={styles.row}>
      <NodeBox {...props}>{node.title}</NodeBox>
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
}

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
