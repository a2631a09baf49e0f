/** 功能权限: modules on the left, the chosen one's screens with their actions on the right; a search looks in all of them. */
import { Checkbox, Empty, Tooltip } from 'antd';
import { useDeferredValue, useState, type ReactNode } from 'react';
import type { RightNode } from '@/gen';
import { Matrix } from './Matrix';
import { filterTree, countTicked, toggle, toggleAll } from './rights';
import styles from './access.module.css';

interface Props {
  tree: RightNode[];
  granted: ReadonlySet<string>;
  /** Codes that come from bundles: shown as held, changed there. */
  bundled?: ReadonlySet<string>;
  onChange: (held: Set<string>) => void;
}

const NO_CODES: ReadonlySet<string> = new Set();

export function RightMatrix({ tree, granted, bundled = NO_CODES, onChange }: Props) {
  const [words, setWords] = useState('');
  const [onlyHeld, setOnlyHeld] = useState(false);
  const [chosen, choose] = useState(tree[0]?.key);
  const shown = filterTree(tree, useDeferredValue(words));
  const module = shown.find(({ key }) => key === chosen) ?? shown[0];
  const all = countTicked(granted, bundled, { key: 'all ', title: '', children: tree });
  return (
    <Matrix
      what="界面或操作"
      words={words}
      onWords={setWords}
      only={{ label: '只看已选', on: onlyHeld, onChange: setOnlyHeld }}
      note={`已选 ${all.many} / ${all.every}`}
      part="模块"
      parts={shown.map((node) => (
        <ModuleItem
          key={node.key}
          node={node}
          granted={granted}
          bundled={bundled}
          active={node === module}
          onOpen={() => choose(node.key)}
          onChange={onChange}
        />
      ))}
    >
      {module?.children.map((group) => (
        <RightGroup
          key={group.key}
          node={group}
          granted={granted}
          bundled={bundled}
          onlyHeld={onlyHeld}
          onChange={onChange}
        />
      ))}
      {!module && <Empty description="没有符合的权限" />}
    </Matrix>
  );
}

interface NodeProps {
  node: RightNode;
  granted: ReadonlySet<string>;
  bundled: ReadonlySet<string>;
  onChange: (held: Set<string>) => void;
}

/** Ticks or unticks all that is below a node. */
function NodeBox({
  node,
  granted,
  bundled,
  onChange,
  label,
  children,
}: NodeProps & { label?: string; children?: ReactNode }) {
  const { checked, indeterminate } = countTicked(granted, bundled, node);
  return (
    <Checkbox
      aria-label={label}
      checked={checked}
      indeterminate={indeterminate}
      onChange={(event) => onChange(toggleAll(granted, node, event.target.checked))}
    >
      {children}
    </Checkbox>
  );
}

function ModuleItem({ active, onOpen, ...rest }: NodeProps & { active: boolean; onOpen: () => void }) {
  const { node, granted, bundled } = rest;
  const { many, every } = countTicked(granted, bundled, node);
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

function RightGroup({ onlyHeld, ...rest }: NodeProps & { onlyHeld: boolean }) {
  const { node, granted, bundled } = rest;
  const screens = onlyHeld
    ? node.children.filter((screen) => countTicked(granted, bundled, screen).many > 0)
    : node.children;
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
  const { node, granted, bundled, onChange } = props;
  return (
    <div className={styles.row}>
      <NodeBox {...props}>{node.title}</NodeBox>
      <div className={styles.actions}>
        {node.children.map((action) => (
          <ActionBox
            key={action.key}
            action={action}
            isGranted={granted.has(action.key)}
            bundled={bundled.has(action.key)}
            onChange={(on) => onChange(toggle(granted, node, action.key, on))}
          />
        ))}
      </div>
    </div>
  );
}

interface ActionProps {
  action: RightNode;
  isGranted: boolean;
  bundled: boolean;
  onChange: (on: boolean) => void;
}

function ActionBox({ action, isGranted, bundled, onChange }: ActionProps) {
  const given = bundled && !isGranted;
  const box = (
    <Checkbox
      checked={isGranted || bundled}
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
